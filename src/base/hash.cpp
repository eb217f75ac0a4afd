// SPDX-License-Identifier: Apache-2.0
//
// SHA-2 goes through OpenSSL's direct functions, which 3.0 calls deprecated: the EVP interface
// builds the tables of all its providers at first use, 1.5 ms that a small wheel does not take
// otherwise, and it does not say when memory fails there. The code that digests is the same.
#define OPENSSL_SUPPRESS_DEPRECATED
#include "base/hash.hpp"

#include <truewheel/error.hpp>

#include <openssl/evp.h>
#include <openssl/sha.h>

#include <array>
#include <map>
#include <new>
#include <variant>

namespace truewheel {
namespace {

constexpr std::array<std::pair<std::string_view, const char*>, 4> kAlgorithms{{
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

void check(int status, std::string_view operation) {
  if (status != 1) fail(operation);
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

struct Sha256 {
  SHA256_CTX state{};
  Sha256() { check(SHA256_Init(&state), "start a digest"); }
  void update(Bytes piece) {
    check(SHA256_Update(&state, piece.data(), piece.size()), "update a digest");
  }
  Buffer finish() {
    Buffer digest(SHA256_DIGEST_LENGTH);
    check(SHA256_Final(digest.data(), &state), "finish a digest");
    return digest;
  }
};

/// SHA-512, and SHA-384, which is SHA-512 from another start and cut.
struct Sha512 {
  SHA512_CTX state{};
  bool is_384;
  explicit Sha512(bool cut) : is_384(cut) {
    check(is_384 ? SHA384_Init(&state) : SHA512_Init(&state), "start a digest");
  }
  void update(Bytes piece) {
    check(SHA512_Update(&state, piece.data(), piece.size()), "update a digest");
  }
  Buffer finish() {
    Buffer digest(is_384 ? SHA384_DIGEST_LENGTH : SHA512_DIGEST_LENGTH);
    check(is_384 ? SHA384_Final(digest.data(), &state) : SHA512_Final(digest.data(), &state),
          "finish a digest");
    return digest;
  }
};

struct EvpDigest {
  std::unique_ptr<EVP_MD_CTX, FreeContext> context{EVP_MD_CTX_new()};
  explicit EvpDigest(std::string_view algorithm) {
    const EVP_MD* method = method_for(algorithm);
    if (!context) throw std::bad_alloc();
    check(EVP_DigestInit_ex2(context.get(), method, nullptr), "start a digest");
  }
  void update(Bytes piece) {
    check(EVP_DigestUpdate(context.get(), piece.data(), piece.size()), "update a digest");
  }
  Buffer finish() {
    Buffer digest(EVP_MAX_MD_SIZE);
    unsigned length = 0;
    check(EVP_DigestFinal_ex(context.get(), digest.data(), &length), "finish a digest");
    digest.resize(length);
    return digest;
  }
};

using AnyDigest = std::variant<Sha256, Sha512, EvpDigest>;

AnyDigest start(std::string_view algorithm) {
  if (algorithm == "sha256") return Sha256();
  if (algorithm == "sha384" || algorithm == "sha512") return Sha512(algorithm == "sha384");
  return EvpDigest(algorithm);
}

}  // namespace

struct Hasher::Context {
  AnyDigest digest;
};

Hasher::Hasher(std::string_view algorithm)
    : context_(std::make_unique<Context>(Context{start(algorithm)})) {}

Hasher::~Hasher() = default;
Hasher::Hasher(Hasher&&) noexcept = default;
Hasher& Hasher::operator=(Hasher&&) noexcept = default;

void Hasher::update(Bytes piece) {
  std::visit([&](auto& digest) { digest.update(piece); }, context_->digest);
}

Buffer Hasher::finish() {
  return std::visit([](auto& digest) { return digest.finish(); }, context_->digest);
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
