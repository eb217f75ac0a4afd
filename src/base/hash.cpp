// SPDX-License-Identifier: Apache-2.0
#include "base/hash.hpp"

#include <truewheel/error.hpp>

#include <openssl/evp.h>

#include <array>
#include <map>

namespace truewheel {
namespace {

constexpr std::array<std::pair<std::string_view, const char*>, 7> kAlgorithms{{
    {"sha256", "SHA256"},
    {"sha384", "SHA384"},
    {"sha512", "SHA512"},
    {"sha3_256", "SHA3-256"},
    {"sha3_384", "SHA3-384"},
    {"sha3_512", "SHA3-512"},
    {"blake2b", "BLAKE2B-512"},
}};

struct FreeMethod {
  void operator()(EVP_MD* method) const { EVP_MD_free(method); }
};
struct FreeContext {
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};
using Method = std::unique_ptr<EVP_MD, FreeMethod>;

[[noreturn]] void fail(std::string_view operation) {
  throw Error(ErrorKind::internal, "hash-failed", "OpenSSL cannot " + std::string(operation));
}

// OpenSSL 3 looks a method up by name each time it is asked; a fetch per member costs more than the
// digest of a small one, so each method is fetched once and kept.
const EVP_MD* method_for(std::string_view algorithm) {
  static const std::map<std::string_view, Method> methods = [] {
    std::map<std::string_view, Method> fetched;
    for (const auto& [name, openssl_name] : kAlgorithms) {
      fetched.emplace(name, EVP_MD_fetch(nullptr, openssl_name, nullptr));
    }
    return fetched;
  }();
  const auto found = methods.find(algorithm);
  if (found == methods.end()) {
    throw Error(ErrorKind::refused, "hash-algorithm",
                "hash algorithm '" + std::string(algorithm) + "' is not known");
  }
  if (!found->second) fail("provide " + std::string(algorithm));
  return found->second.get();
}

}  // namespace

struct Hasher::Context {
  std::unique_ptr<EVP_MD_CTX, FreeContext> evp{EVP_MD_CTX_new()};
};

Hasher::Hasher(std::string_view algorithm) : context_(std::make_unique<Context>()) {
  const EVP_MD* method = method_for(algorithm);
  if (!context_->evp || EVP_DigestInit_ex2(context_->evp.get(), method, nullptr) != 1) {
    fail("start a digest");
  }
}

Hasher::~Hasher() = default;
Hasher::Hasher(Hasher&&) noexcept = default;
Hasher& Hasher::operator=(Hasher&&) noexcept = default;

void Hasher::update(Bytes piece) {
  if (EVP_DigestUpdate(context_->evp.get(), piece.data(), piece.size()) != 1) {
    fail("update a digest");
  }
}

Buffer Hasher::finish() {
  Buffer digest(EVP_MAX_MD_SIZE);
  unsigned length = 0;
  if (EVP_DigestFinal_ex(context_->evp.get(), digest.data(), &length) != 1) fail("finish a digest");
  digest.resize(length);
  return digest;
}

Buffer sha256(Bytes bytes) {
  Hasher hasher("sha256");
  hasher.update(bytes);
  return hasher.finish();
}

std::string hex(Bytes bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  out.reserve(bytes.size() * 2);
  for (const std::uint8_t byte : bytes) {
    out.push_back(kDigits[byte >> 4]);
    out.push_back(kDigits[byte & 15]);
  }
  return out;
}

std::string base64url(Bytes bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  std::string out;
  out.reserve((bytes.size() * 4 + 2) / 3);
  std::uint32_t bits = 0;
  unsigned count = 0;
  for (const std::uint8_t byte : bytes) {
    bits = (bits << 8) | byte;
    for (count += 8; count >= 6; count -= 6) out.push_back(kDigits[(bits >> (count - 6)) & 63]);
  }
  if (count != 0) out.push_back(kDigits[(bits << (6 - count)) & 63]);
  return out;
}

}  // namespace truewheel
