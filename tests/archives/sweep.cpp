// SPDX-License-Identifier: Apache-2.0
//
// Repairs changed copies of a wheel, many thousands of them in one process:
//   wheel_sweep lengths WHEEL WORK         every shorter one
//   wheel_sweep bytes WHEEL WORK           every byte as three other values
//   wheel_sweep random WHEEL WORK SEED N   N copies, each with one to eight changes
// Each is refused as malformed (or for another reason that is not a fault of ours), or gives a
// wheel, which is left in WORK/out under a number if its bytes are new: sweep.py reads those.
#include "base/byte_reader.hpp"
#include "base/hash.hpp"
#include <truewheel/error.hpp>
#include <truewheel/repair.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <set>
#include <string>

namespace {

using namespace truewheel;
namespace fs = std::filesystem;

class Sweep {
 public:
  Sweep(const fs::path& wheel, const fs::path& work) : name_(wheel.filename()), work_(work) {
    std::ifstream stream(wheel, std::ios::binary);
    original_.assign(std::istreambuf_iterator<char>(stream), {});
    fs::create_directories(work_ / "in");
    fs::create_directories(work_ / "out");
    options_.wheel_dir = work_ / "made";
    options_.inspect.jobs = 1;
  }

  [[nodiscard]] const std::string& original() const { return original_; }

  /// What is wrong with the answer; empty if all is well.
  void look_at(const std::string& bytes, const std::string& what) {
    ++count_;
    const auto path = work_ / "in" / name_;
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
    const auto start = std::chrono::steady_clock::now();
    try {
      auto finished = repair::repair(path, options_);
      finished.prepare();
      finished.publish();
      keep(finished.target());
    } catch (const Error& error) {
      // A change may make another good wheel of it: one for another machine, or one without code.
      if (error.kind() != ErrorKind::refused && error.kind() != ErrorKind::unfit) {
        complain(what, error.id() + ": " + error.what());
      }
      ++refused_[error.id()];
      if (fs::exists(options_.wheel_dir)) complain(what, "a refusal left an output");
    } catch (const std::exception& error) {
      complain(what, error.what());
    }
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    if (seconds.count() > 10) complain(what, "took " + std::to_string(seconds.count()) + " s");
  }

  [[nodiscard]] int report() const {
    std::size_t refused = 0;
    for (const auto& [id, times] : refused_) {
      refused += times;
      std::printf("%8zu %s\n", times, id.c_str());
    }
    std::printf("%zu wheels: %zu refused by %zu ids, %zu taken, which gave %zu outputs; %d wrong\n",
                count_, refused, refused_.size(), count_ - refused, seen_.size(), wrong_);
    return wrong_ == 0 ? 0 : 1;
  }

 private:
  void keep(const fs::path& output) {
    std::ifstream stream(output, std::ios::binary);
    const std::string bytes(std::istreambuf_iterator<char>(stream), {});
    stream.close();
    if (seen_.insert(base64url(sha256(as_bytes(bytes)))).second) {
      const auto folder = work_ / "out" / std::to_string(seen_.size());
      fs::create_directories(folder);
      fs::rename(output, folder / output.filename());
    }
    fs::remove_all(options_.wheel_dir);
  }

  void complain(const std::string& what, const std::string& why) {
    if (++wrong_ <= 20) std::printf("WRONG: %s: %s\n", what.c_str(), why.c_str());
  }

  fs::path name_;
  fs::path work_;
  repair::Options options_;
  std::string original_;
  std::set<std::string> seen_;
  std::map<std::string, std::size_t> refused_;
  std::size_t count_ = 0;
  int wrong_ = 0;
};

void lengths(Sweep& sweep) {
  for (std::size_t length = 0; length < sweep.original().size(); ++length) {
    sweep.look_at(sweep.original().substr(0, length), "length " + std::to_string(length));
  }
}

void bytes(Sweep& sweep) {
  std::string copy = sweep.original();
  for (std::size_t at = 0; at < copy.size(); ++at) {
    const char was = copy[at];
    for (const int change : {0x01, 0x80, 0xff}) {
      copy[at] = static_cast<char>(was ^ change);
      sweep.look_at(copy, "byte " + std::to_string(at) + " ^ " + std::to_string(change));
    }
    copy[at] = was;
  }
}

// The changes that find most: other bytes, known numbers, pieces moved, doubled and taken out.
void change(std::string& bytes, std::mt19937_64& random) {
  constexpr std::array<std::uint32_t, 12> kNumbers{0,          1,          0x7fffffff, 0x80000000,
                                                   0xffffffff, 0xfffffffe, 0xffff,     0x04034b50,
                                                   0x02014b50, 0x06054b50, 0x06064b50, 0x08074b50};
  if (bytes.empty()) return;
  const std::size_t at = random() % bytes.size();
  const std::size_t length = std::min(bytes.size() - at, 1 + random() % 64);
  switch (random() % 6) {
    case 0:
      bytes[at] = static_cast<char>(random());
      break;
    case 1: {
      const std::uint32_t number = kNumbers[random() % kNumbers.size()];
      const std::size_t width = std::min<std::size_t>(bytes.size() - at, random() % 2 == 0 ? 2 : 4);
      for (std::size_t i = 0; i < width; ++i) bytes[at + i] = static_cast<char>(number >> (8 * i));
      break;
    }
    case 2:
      bytes.erase(at, length);
      break;
    case 3:
      bytes.insert(random() % bytes.size(), bytes.substr(at, length));
      break;
    case 4:
      bytes.replace(at, length, length, '\0');
      break;
    default:
      bytes[at] = static_cast<char>(bytes[at] + (random() % 2 == 0 ? 1 : -1));
      break;
  }
}

void random_changes(Sweep& sweep, std::uint64_t seed, std::uint64_t count) {
  for (std::uint64_t i = 0; i < count; ++i) {
    std::mt19937_64 random(seed + i);
    std::string copy = sweep.original();
    for (std::uint64_t changes = 1 + random() % 8; changes != 0; --changes) change(copy, random);
    sweep.look_at(copy, "seed " + std::to_string(seed + i));
  }
}

}  // namespace

int main(int count, char** words) {
  if (count < 4) return 2;
  const std::string mode = words[1];
  Sweep sweep(words[2], words[3]);
  if (mode == "lengths") lengths(sweep);
  if (mode == "bytes") bytes(sweep);
  if (mode == "random" && count == 6)
    random_changes(sweep, std::stoull(words[4]), std::stoull(words[5]));
  return sweep.report();
}
