// SPDX-License-Identifier: Apache-2.0
#include "report/check_graph.hpp"

#include "base/text.hpp"
#include "report/check_reports.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <set>

namespace truewheel::report {
namespace {

constexpr int kColumnWidth = 370;
constexpr int kRowHeight = 30;
constexpr int kNodeWidth = 266;
constexpr int kNodeHeight = 22;
constexpr int kMargin = 12;
constexpr std::size_t kLongestLabel = 34;

struct Node {
  std::string label;
  std::string title;
  std::string target;  ///< id of the row that tells more
  std::string kind;    ///< class
  std::size_t column = 0;
  double place = 0;  ///< what the rows of a column are sorted by
  int x = 0;
  int y = 0;
};

struct Edge {
  std::size_t from = 0;
  std::size_t to = 0;
  const check::Link* link = nullptr;
};

bool is_drawn(const check::Link& link) {
  return link.target || link.provider != check::Provider::policy;
}

std::string shortened(std::string_view name) {
  if (name.size() <= kLongestLabel) return std::string(name);
  // The ends tell more than the middle: a name and its version.
  return std::string(name.substr(0, kLongestLabel / 2 - 1)) + "…" +
         std::string(name.substr(name.size() - kLongestLabel / 2));
}

class Picture {
 public:
  Picture(const check::Subject& subject, const std::string& prefix) : subject_(subject) {
    add_nodes(prefix);
    add_edges();
    set_columns();
    set_places();
  }

  [[nodiscard]] std::string svg() const {
    if (edges_.empty()) return {};
    int width = 0;
    int height = 0;
    for (const auto& node : nodes_) {
      width = std::max(width, node.x + kNodeWidth + kMargin);
      height = std::max(height, node.y + kNodeHeight + kMargin);
    }
    std::string out = fmt::format(
        "<svg class=\"graph\" role=\"group\" aria-label=\"who needs what\" width=\"{}\" "
        "height=\"{}\" viewBox=\"0 0 {} {}\">\n",
        width, height, width, height);
    for (const auto& edge : edges_) out += edge_svg(edge);
    for (std::size_t i = 0; i < nodes_.size(); ++i) out += node_svg(i);
    return out + "</svg>\n";
  }

 private:
  void add_nodes(const std::string& prefix) {
    std::set<std::size_t> broken;
    for (const auto& link : subject_.links) {
      if (reach_class(link) == "missing") broken.insert(link.file);
    }
    for (std::size_t i = 0; i < subject_.files.size(); ++i) {
      const auto& path = subject_.path_of(i);
      nodes_.push_back({std::string(base_name(path)), path, fmt::format("{}-file-{}", prefix, i),
                        broken.contains(i) ? "file broken" : "file"});
    }
    outside_ = outside_libraries(subject_);
    for (std::size_t i = 0; i < outside_.size(); ++i) {
      nodes_.push_back({outside_[i], outside_[i] + ", not in here",
                        fmt::format("{}-outside-{}", prefix, i), "outside"});
    }
  }

  void add_edges() {
    const std::size_t files = subject_.files.size();
    for (const auto& link : subject_.links) {
      if (!is_drawn(link)) continue;
      std::size_t to = 0;
      if (link.target) {
        to = *link.target;
      } else {
        const auto at = std::lower_bound(outside_.begin(), outside_.end(), link.needed);
        to = files + static_cast<std::size_t>(at - outside_.begin());
        if (reach_class(link) == "missing") nodes_[to].kind = "outside broken";
      }
      edges_.push_back({link.file, to, &link});
    }
  }

  /// Breadth first from the roots, so that an edge mostly points to the right.
  void set_columns() {
    std::vector<bool> seen(nodes_.size(), false);
    std::vector<std::vector<std::size_t>> next(nodes_.size());
    for (const auto& edge : edges_) next[edge.from].push_back(edge.to);
    std::deque<std::size_t> queue;
    const auto start = [&](std::size_t node) {
      if (seen[node]) return;
      seen[node] = true;
      queue.push_back(node);
    };
    for (std::size_t i = 0; i < subject_.files.size(); ++i) {
      if (subject_.files[i].is_root) start(i);
    }
    std::size_t last = 0;
    // What no root reaches (a cycle that nobody needs) starts columns of its own.
    for (std::size_t i = 0; i <= subject_.files.size(); ++i) {
      while (!queue.empty()) {
        const auto node = queue.front();
        queue.pop_front();
        for (const auto to : next[node]) {
          if (seen[to]) continue;
          nodes_[to].column = nodes_[node].column + 1;
          if (to < subject_.files.size()) last = std::max(last, nodes_[to].column);
          start(to);
        }
      }
      if (i < subject_.files.size()) start(i);
    }
    for (std::size_t i = subject_.files.size(); i < nodes_.size(); ++i) nodes_[i].column = last + 1;
  }

  /// Rows: by the mean row of those that need a node, which keeps most edges from crossing.
  void set_places() {
    std::size_t columns = 0;
    for (const auto& node : nodes_) columns = std::max(columns, node.column + 1);
    for (std::size_t column = 0; column < columns; ++column) {
      std::vector<std::size_t> members;
      for (std::size_t i = 0; i < nodes_.size(); ++i) {
        if (nodes_[i].column == column) members.push_back(i);
      }
      for (const auto member : members) nodes_[member].place = mean_row_of_needers(member, column);
      std::stable_sort(members.begin(), members.end(), [&](std::size_t a, std::size_t b) {
        return nodes_[a].place < nodes_[b].place;
      });
      for (std::size_t row = 0; row < members.size(); ++row) {
        auto& node = nodes_[members[row]];
        node.x = kMargin + static_cast<int>(column) * kColumnWidth;
        node.y = kMargin + static_cast<int>(row) * kRowHeight;
      }
    }
  }

  [[nodiscard]] double mean_row_of_needers(std::size_t member, std::size_t column) const {
    double sum = 0;
    int needers = 0;
    for (const auto& edge : edges_) {
      if (edge.to != member || nodes_[edge.from].column >= column) continue;
      sum += nodes_[edge.from].y;
      ++needers;
    }
    return needers == 0 ? 0 : sum / needers;
  }

  [[nodiscard]] std::string edge_svg(const Edge& edge) const {
    const auto& from = nodes_[edge.from];
    const auto& to = nodes_[edge.to];
    const int x1 = from.x + kNodeWidth;
    const int y1 = from.y + kNodeHeight / 2;
    const int y2 = to.y + kNodeHeight / 2;
    const int bend = to.x > from.x ? (to.x - x1) / 2 : kColumnWidth / 3;
    const int x2 = to.x > from.x ? to.x : to.x + kNodeWidth;
    const int end_bend = to.x > from.x ? -bend : bend;
    return fmt::format(
        "<path class=\"edge {}\" data-from=\"{}\" data-to=\"{}\" d=\"M{} {}C{} {} {} {} {} {}\">"
        "<title>{} needs {}</title></path>\n",
        reach_class(*edge.link), edge.from, edge.to, x1, y1, x1 + bend, y1, x2 + end_bend, y2, x2,
        y2, escape_markup(from.title), escape_markup(edge.link->needed));
  }

  [[nodiscard]] std::string node_svg(std::size_t index) const {
    const auto& node = nodes_[index];
    return fmt::format(
        "<a href=\"#{}\" class=\"node {}\" data-node=\"{}\"><title>{}</title><rect x=\"{}\" "
        "y=\"{}\" width=\"{}\" height=\"{}\" rx=\"4\"/><text x=\"{}\" y=\"{}\">{}</text></a>\n",
        node.target, node.kind, index, escape_markup(node.title), node.x, node.y, kNodeWidth,
        kNodeHeight, node.x + 8, node.y + 15, escape_markup(shortened(node.label)));
  }

  const check::Subject& subject_;
  std::vector<std::string> outside_;
  std::vector<Node> nodes_;  ///< the files, then what is outside
  std::vector<Edge> edges_;
};

}  // namespace

const char* reach_name(check::Reach reach) {
  switch (reach) {
    case check::Reach::own_path:
      return "own-path";
    case check::Reach::inherited:
      return "inherited";
    case check::Reach::luck:
      return "luck";
    case check::Reach::outside:
      return "outside";
    case check::Reach::nowhere:
      return "nowhere";
  }
  return "";
}

std::string reach_class(const check::Link& link) {
  return link.reach == check::Reach::nowhere ? "missing" : reach_name(link.reach);
}

std::vector<std::string> outside_libraries(const check::Subject& subject) {
  std::set<std::string> names;
  for (const auto& link : subject.links) {
    if (is_drawn(link) && !link.target) names.insert(link.needed);
  }
  return {names.begin(), names.end()};
}

std::string graph_svg(const check::Subject& subject, const std::string& prefix) {
  return Picture(subject, prefix).svg();
}

}  // namespace truewheel::report
