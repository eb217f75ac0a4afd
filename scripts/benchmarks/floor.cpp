// SPDX-License-Identifier: Apache-2.0
// The least work that a repair can do: inflate (libdeflate) and hash (SHA-256) every member of an
// archive once and write its bytes once. No checks, no decisions, no flush to the disk.
//
//     floor THREADS WHEEL OUTPUT
#include <libdeflate.h>
#include <openssl/evp.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <sys/mman.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

struct Member {
  const std::uint8_t* data;
  std::size_t compressed;
  std::size_t size;
  bool deflated;
};

template <class Number>
Number number(const std::uint8_t* at) {
  Number value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

// The archives that are measured have no comment and no member of 4 GiB.
std::vector<Member> members_of(const std::uint8_t* file, std::size_t size) {
  const std::uint8_t* end = file + size - 22;
  while (number<std::uint32_t>(end) != 0x06054b50) --end;
  std::size_t count = number<std::uint16_t>(end + 10);
  std::size_t offset = number<std::uint32_t>(end + 16);
  if (count == 0xffff || offset == 0xffffffff) {  // ZIP64
    const std::uint8_t* wide = file + number<std::uint64_t>(end - 20 + 8);
    count = number<std::uint64_t>(wide + 32);
    offset = number<std::uint64_t>(wide + 48);
  }
  std::vector<Member> members;
  const std::uint8_t* row = file + offset;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint8_t* local = file + number<std::uint32_t>(row + 42);
    members.push_back(
        {local + 30 + number<std::uint16_t>(local + 26) + number<std::uint16_t>(local + 28),
         number<std::uint32_t>(row + 20), number<std::uint32_t>(row + 24),
         number<std::uint16_t>(row + 10) == 8});
    row += 46 + number<std::uint16_t>(row + 28) + number<std::uint16_t>(row + 30) +
           number<std::uint16_t>(row + 32);
  }
  // The largest first, so that the threads end together.
  std::sort(members.begin(), members.end(),
            [](const Member& a, const Member& b) { return a.size > b.size; });
  return members;
}

void read(const std::vector<Member>& members, std::atomic<std::size_t>& next) {
  libdeflate_decompressor* inflater = libdeflate_alloc_decompressor();
  EVP_MD* sha256 = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  unsigned char digest[EVP_MAX_MD_SIZE];
  for (std::size_t i = next++; i < members.size(); i = next++) {
    const Member& member = members[i];
    const std::uint8_t* content = member.data;
    std::unique_ptr<std::uint8_t[]> owned;
    if (member.deflated) {
      owned.reset(new std::uint8_t[member.size + 1]);
      if (libdeflate_deflate_decompress(inflater, member.data, member.compressed, owned.get(),
                                        member.size, nullptr) != LIBDEFLATE_SUCCESS) {
        std::abort();
      }
      content = owned.get();
    }
    EVP_DigestInit_ex2(context, sha256, nullptr);
    EVP_DigestUpdate(context, content, member.size);
    EVP_DigestFinal_ex(context, digest, nullptr);
  }
  EVP_MD_CTX_free(context);
  EVP_MD_free(sha256);
  libdeflate_free_decompressor(inflater);
}

}  // namespace

int main(int count, char** words) {
  if (count != 4) return 2;
  const int in = open(words[2], O_RDONLY);
  struct stat status {};
  if (in < 0 || fstat(in, &status) != 0) return 1;
  const auto size = static_cast<std::size_t>(status.st_size);
  auto* file = static_cast<std::uint8_t*>(mmap(nullptr, size, PROT_READ, MAP_PRIVATE, in, 0));
  if (file == MAP_FAILED) return 1;
  const std::vector<Member> members = members_of(file, size);
  std::atomic<std::size_t> next = 0;
  std::vector<std::thread> threads;
  for (int i = 1; i < std::atoi(words[1]); ++i) threads.emplace_back([&] { read(members, next); });
  read(members, next);
  const int out = open(words[3], O_WRONLY | O_CREAT | O_TRUNC, 0644);
  for (std::size_t done = 0; done < size;) {
    const ssize_t written = write(out, file + done, size - done);
    if (written <= 0) return 1;
    done += static_cast<std::size_t>(written);
  }
  for (auto& thread : threads) thread.join();
  return close(out);
}
