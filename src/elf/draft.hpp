// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "elf/header_slots.hpp"
#include "elf/layout.hpp"
#include "elf/rooms.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace truewheel::elf {

/// A table that has to go somewhere else.
struct Pending {
  Table table;
  std::uint64_t size = 0;  ///< it will have
};

/// A layout in the making. Copied freely while the planner tries one way after the other; holds no
/// file bytes.
class Draft {
 public:
  Draft(const ElfImage& image, std::vector<Room> free_rooms);

  enum class Growth { no, yes };
  enum class Headers { in_first_load, in_new_load };

  /// Fixes a table's new place; its headers follow in finish().
  void place(const Table& table, std::uint64_t offset, std::uint64_t vaddr, std::uint64_t size);

  /// Whether a table has a new place in this draft or waits for one.
  [[nodiscard]] bool concerns(const Table& table) const;

  /// Rung S4: moves what is pending into rooms. With Growth::yes, into the one room that never gets
  /// full.
  void place_in_rooms(Growth growth);

  /// Makes what stands in the spare room behind the program headers pending. False where something
  /// has moved there already.
  [[nodiscard]] bool leave_room(const std::vector<Table>& tables, const HeaderSlot& room);

  /// A PT_GNU_STACK in that slot; what it evicts becomes pending. False as in add_load().
  [[nodiscard]] bool add_stack_header(const std::vector<Table>& tables, const HeaderSlot& slot);

  /// The same without a slot: the program header table has to move, by rung S6.
  void append_stack_header();

  /// Rung S5: one new LOAD at the end of the file with everything pending and what the slot evicts.
  /// False when this draft and that slot exclude each other or addresses run out.
  [[nodiscard]] bool add_load(const FileMap& map, const std::vector<Table>& tables,
                              const HeaderSlot& slot, std::uint64_t alignment);

  /// Rung S6: the same with the program header table itself moved. Without anything pending, and
  /// with room for the table in the first LOAD, no LOAD is made.
  [[nodiscard]] bool add_load_and_move_headers(const FileMap& map, Headers place,
                                               std::uint64_t alignment);

  /// Brings segments and sections in step and measures the result. `tables`: all of the file.
  [[nodiscard]] Layout finish(const FileMap& map, const std::vector<Table>& tables) const;

  std::vector<Room> rooms;
  std::vector<Pending> pending;
  std::vector<std::string> steps;
  bool overwrites = false;
  bool sections_change = false;      ///< anyhow, so that their table has to be written
  std::optional<Table> interpreter;  ///< where PT_INTERP's name is, if it changes

 private:
  struct NewLoad {
    Segment segment;
    std::uint64_t begin = 0, end = 0;  ///< of what it adds to the file
  };
  [[nodiscard]] bool evict(const std::vector<Table>& tables, const HeaderSlot& slot);
  [[nodiscard]] bool make_pending(const std::vector<Table>& tables, const HeaderSlot& slot);
  [[nodiscard]] bool is_entered_before(std::uint64_t end) const;
  void offer_vacated(const std::vector<Table>& tables, const HeaderSlot& slot);
  [[nodiscard]] bool build_load(const FileMap& map, std::uint64_t alignment,
                                std::uint64_t header_bytes);
  [[nodiscard]] std::uint64_t new_load_address(std::uint64_t offset, std::uint64_t alignment) const;
  [[nodiscard]] bool is_program() const;
  void insert_segment(const Segment& segment);
  /// Whether something moves into the range of a LOAD.
  [[nodiscard]] bool is_entered(const Segment& load) const;
  void put_strings_section_right(Layout& layout) const;
  void update_moved(Layout& layout) const;
  void give_up_emptied_loads(const FileMap& map, const std::vector<Table>& tables,
                             Layout& layout) const;
  void take_empty_sections_along(Layout& layout) const;
  void keep_empty_sections_out(std::uint64_t insertion, std::uint64_t end, Layout& layout) const;
  void keep_headers_clear(Layout& layout) const;
  void put_loads_first(Layout& layout) const;
  void place_section_headers(const FileMap& map, Layout& layout) const;

  const ElfImage* image_;
  std::vector<Segment> segments_;
  std::vector<Move> moves_;
  std::optional<NewLoad> new_load_;
  std::uint64_t phoff_;
  bool displaces_section_headers_ = false;
  bool moves_headers_ = false;
  bool moves_notes_ = false;
};

}  // namespace truewheel::elf
