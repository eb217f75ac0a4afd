// SPDX-License-Identifier: Apache-2.0
#include "base/inflate_in_order.hpp"

#include "base/parallel.hpp"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <utility>
#include <vector>

namespace truewheel {
namespace {

/// A part of a stream, between two restart points.
struct Part {
  std::uint64_t first_bit = 0;
  std::uint64_t end_bit = 0;
  std::uint64_t size = 0;  ///< of its content
  Bytes before;            ///< the content in front of it
  EndsStream ends_stream = EndsStream::no;
};

std::vector<Part> parts_of(Bytes stream, std::uint64_t size,
                           std::span<const RestartPoint> restarts) {
  std::vector<Part> parts;
  Part part;
  std::uint64_t begin = 0;
  for (const auto& restart : restarts) {
    part.end_bit = restart.first_bit;
    part.size = restart.content_begin - begin;
    parts.push_back(part);
    part = {restart.first_bit, 0, 0, restart.before, EndsStream::no};
    begin = restart.content_begin;
  }
  part.end_bit = std::uint64_t{8} * stream.size();
  part.size = size - begin;
  part.ends_stream = EndsStream::yes;
  parts.push_back(part);
  return parts;
}

/// Lets the parts pass one by one.
class Turns {
 public:
  explicit Turns(std::size_t parts) { spare_.reserve(parts); }  // so that giving back cannot fail

  [[nodiscard]] bool is(std::size_t part) const {
    const std::lock_guard lock(mutex_);
    return next_ == part && !broken_;
  }
  /// False when there is no going on.
  bool wait_for(std::size_t part) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return next_ == part || broken_; });
    return !broken_;
  }
  void pass_on() {
    const std::lock_guard lock(mutex_);
    ++next_;
    changed_.notify_all();
  }
  void give_up() {
    const std::lock_guard lock(mutex_);
    broken_ = true;
    changed_.notify_all();
  }

  /// Buffers go from part to part, since fresh memory takes as long as inflating.
  Buffer take_buffer() {
    const std::lock_guard lock(mutex_);
    if (spare_.empty()) return {};
    Buffer buffer = std::move(spare_.back());
    spare_.pop_back();
    return buffer;
  }
  void give_back(Buffer buffer) {
    buffer.clear();
    const std::lock_guard lock(mutex_);
    spare_.push_back(std::move(buffer));
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t next_ = 0;
  bool broken_ = false;
  std::vector<Buffer> spare_;
};

/// One part's content on its way to the sink: it waits in a buffer until it is the part's turn.
class Passage {
 public:
  Passage(Turns& turns, std::size_t part, const std::function<void(Bytes)>& sink)
      : turns_(turns), part_(part), sink_(sink), waiting_(turns.take_buffer()) {
    waiting_.reserve(kMostWaiting);
  }
  ~Passage() { turns_.give_back(std::move(waiting_)); }
  Passage(const Passage&) = delete;
  Passage& operator=(const Passage&) = delete;

  /// False when there is no going on.
  bool put(Bytes piece) {
    if (!is_mine_ && (turns_.is(part_) || piece.size() > kMostWaiting - waiting_.size())) {
      if (!flush()) return false;
    }
    if (is_mine_) {
      sink_(piece);
    } else {
      waiting_.insert(waiting_.end(), piece.begin(), piece.end());
    }
    return true;
  }
  bool flush() {
    if (!is_mine_ && !turns_.wait_for(part_)) return false;
    is_mine_ = true;
    if (!waiting_.empty()) sink_(waiting_);
    waiting_.clear();
    return true;
  }

 private:
  static constexpr std::size_t kMostWaiting = std::size_t{16} << 20U;
  Turns& turns_;
  std::size_t part_;
  const std::function<void(Bytes)>& sink_;
  Buffer waiting_;
  bool is_mine_ = false;
};

/// What is wrong with the part, or nullopt.
std::optional<std::string_view> inflate_part(Bytes stream, const Part& part, Passage& passage) {
  PiecewiseInflater inflater(stream, part.first_bit, part.end_bit, part.before, part.ends_stream);
  std::uint64_t left = part.size;
  for (Bytes piece = inflater.next(); !piece.empty(); piece = inflater.next()) {
    if (piece.size() > left) return "the content is longer than the size it is given";
    left -= piece.size();
    if (!passage.put(piece)) return std::nullopt;
  }
  if (inflater.problem()) return inflater.problem();
  if (left != 0) return "the content is shorter than the size it is given";
  return std::nullopt;
}

}  // namespace

std::optional<std::string_view> inflate_in_order(Bytes stream, std::uint64_t size,
                                                 std::span<const RestartPoint> restarts,
                                                 unsigned jobs,
                                                 const std::function<void(Bytes)>& sink,
                                                 const std::function<void(Bytes)>& used) {
  if (!restarts.empty() && restarts.back().content_begin > size) {
    return "the content is longer than the size it is given";
  }
  const auto parts = parts_of(stream, size, restarts);
  std::vector<std::optional<std::string_view>> problems(parts.size());
  Turns turns(parts.size());
  // The parts are handed out in order, so that the one whose turn it is has always begun.
  parallel_for(
      parts.size(), jobs, parts.size(), [](std::size_t) { return 1; },
      [&](std::size_t i) {
        const Part& part = parts[i];
        try {
          Passage passage(turns, i, sink);
          problems[i] = inflate_part(stream, part, passage);
          if (problems[i] || !passage.flush()) {
            turns.give_up();
            return;
          }
        } catch (...) {
          turns.give_up();
          throw;
        }
        turns.pass_on();
        const auto from = static_cast<std::size_t>(part.first_bit / 8);
        used(stream.subspan(from, static_cast<std::size_t>(part.end_bit / 8) - from));
      });
  const auto first = std::find_if(problems.begin(), problems.end(),
                                  [](const auto& problem) { return problem.has_value(); });
  return first == problems.end() ? std::nullopt : *first;
}

}  // namespace truewheel
