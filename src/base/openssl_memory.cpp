// SPDX-License-Identifier: Apache-2.0
#include "base/openssl_memory.hpp"

#include <openssl/crypto.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <malloc.h>

// OpenSSL 3.0 crashes where an allocation fails while it starts: it goes on with a lock that it
// could not make (CRYPTO_THREAD_read_lock of nothing below EVP_MD_fetch). So it gets memory that is
// always there when malloc has none; what else fails then is ours, and ends in a message.
namespace truewheel {
namespace {

// Several times of what OpenSSL takes to start and to compute digests. Pages that nobody writes
// take no memory.
constexpr std::size_t kReserve = std::size_t{1} << 20U;
constexpr std::size_t kAlignment = alignof(std::max_align_t);
alignas(kAlignment) std::array<std::uint8_t, kReserve> reserve{};
std::atomic<std::size_t> used{0};

/// A piece of the reserve; none is ever given back.
void* from_reserve(std::size_t size) noexcept {
  const std::size_t rounded = (size + kAlignment - 1) / kAlignment * kAlignment;
  std::size_t at = used.load();
  do {
    if (size > kReserve || rounded > kReserve - at) return nullptr;
  } while (!used.compare_exchange_weak(at, at + rounded));
  return reserve.data() + at;
}

bool is_of_reserve(const void* memory) noexcept {
  const auto* const byte = static_cast<const std::uint8_t*>(memory);
  return std::less_equal<>()(reserve.data(), byte) &&
         std::less<>()(byte, reserve.data() + kReserve);
}

/// As many bytes as can be read at `memory`, which may be more than were asked for.
std::size_t readable(void* memory) noexcept {
  if (!is_of_reserve(memory)) return malloc_usable_size(memory);
  return static_cast<std::size_t>(reserve.data() + kReserve - static_cast<std::uint8_t*>(memory));
}

void* take(std::size_t size, const char* /*file*/, int /*line*/) {
  void* const memory = std::malloc(size);
  return memory != nullptr || size == 0 ? memory : from_reserve(size);
}

void give_back(void* memory, const char* /*file*/, int /*line*/) {
  if (!is_of_reserve(memory)) std::free(memory);
}

void* resize(void* old, std::size_t size, const char* file, int line) {
  if (old == nullptr) return take(size, file, line);
  if (!is_of_reserve(old)) {
    void* const longer = std::realloc(old, size);
    if (longer != nullptr || size == 0) return longer;
  }
  void* const memory = take(size, file, line);
  if (memory == nullptr) return nullptr;
  std::copy_n(static_cast<const std::uint8_t*>(old), std::min(size, readable(old)),
              static_cast<std::uint8_t*>(memory));
  give_back(old, file, line);
  return memory;
}

}  // namespace

void prepare_openssl() noexcept {
  // Refused where OpenSSL has taken memory already: then it has started, too.
  CRYPTO_set_mem_functions(take, resize, give_back);
  OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, nullptr);
}

}  // namespace truewheel
