// SPDX-License-Identifier: Apache-2.0
#include "base/interruption.hpp"

#include <array>
#include <atomic>
#include <csignal>
#include <cstring>
#include <mutex>
#include <set>
#include <string>
#include <unistd.h>
#include <utility>

namespace truewheel {
namespace {

// A signal handler has nothing but what is global. It reads these, last named first, and nothing
// that may be freed or moved under it.
constexpr std::size_t kSlots = 64;
std::array<std::atomic<const char*>, kSlots> slots{};

/// The texts of all paths that were ever named: a handler that runs now may hold any of them.
const char* kept_text(const std::string& path) {
  static std::mutex mutex;
  static std::set<std::string> texts;
  const std::scoped_lock lock(mutex);
  return texts.insert(path).first->c_str();
}

void remove_and_end(int signal) {
  const int kept = errno;
  remove_what_is_named();
  errno = kept;
  ::raise(signal);  // SA_RESETHAND: it ends the process once the handler returns
}

}  // namespace

void remove_what_is_named() noexcept {
  for (std::size_t i = kSlots; i > 0; --i) {
    const char* path = slots[i - 1].load();
    if (path == nullptr) continue;
    if (::unlink(path) != 0) ::rmdir(path);
  }
}

void clean_up_on_interruption() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction old {};
    if (::sigaction(signal, nullptr, &old) != 0 || old.sa_handler != SIG_DFL) continue;
    struct sigaction cleaning {};
    cleaning.sa_handler = remove_and_end;
    cleaning.sa_flags = static_cast<int>(SA_RESETHAND);
    ::sigaction(signal, &cleaning, nullptr);
  }
}

RemovedOnInterruption::RemovedOnInterruption(const std::filesystem::path& path) {
  const char* text = kept_text(path.string());
  for (std::size_t i = 0; i < kSlots; ++i) {
    const char* free = nullptr;
    if (!slots[i].compare_exchange_strong(free, text)) continue;
    slot_ = i;
    return;
  }
}

RemovedOnInterruption::~RemovedOnInterruption() {
  if (slot_) slots[*slot_].store(nullptr);
}

RemovedOnInterruption::RemovedOnInterruption(RemovedOnInterruption&& other) noexcept
    : slot_(std::exchange(other.slot_, std::nullopt)) {}

RemovedOnInterruption& RemovedOnInterruption::operator=(RemovedOnInterruption&& other) noexcept {
  std::swap(slot_, other.slot_);
  return *this;
}

}  // namespace truewheel
