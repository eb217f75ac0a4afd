// SPDX-License-Identifier: Apache-2.0
#include "repair/package_owner.hpp"
#include "repair/rpm_database.hpp"

#include <memory>
#include <sqlite3.h>

namespace truewheel::repair {
namespace {

// A schema of a stranger may name views that never end; a package's look-up takes a few thousand
// steps of the virtual machine.
constexpr int kStepsAtOnce = 1'000'000;
constexpr int kMostRounds = 200;
constexpr int kLargestValue = 256 << 20;

int count_rounds(void* rounds) { return ++*static_cast<int*>(rounds) > kMostRounds ? 1 : 0; }

using Connection = std::unique_ptr<sqlite3, decltype(&sqlite3_close)>;
using Statement = std::unique_ptr<sqlite3_stmt, decltype(&sqlite3_finalize)>;

/// Immutable: no lock, no journal and no shared memory file is made, whatever the database's mode.
Connection open(const std::filesystem::path& database) {
  std::string uri = "file:";
  for (const auto& part : database) {
    if (uri.back() != '/' && uri != "file:") uri += '/';
    uri += part == "/" ? "/" : url_escape(part.string());
  }
  sqlite3* handle = nullptr;
  const int failed = sqlite3_open_v2((uri + "?immutable=1").c_str(), &handle,
                                     SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, nullptr);
  Connection connection(handle, sqlite3_close);
  if (failed != SQLITE_OK) connection.reset();
  return connection;
}

}  // namespace

void read_rpm_sqlite(const std::filesystem::path& database,
                     const std::vector<std::string>& base_names, const RpmHeaderUse& use) {
  std::error_code absent;
  if (!std::filesystem::is_regular_file(database, absent)) return;
  const auto connection = open(database);
  if (!connection) return;
  int rounds = 0;
  sqlite3_progress_handler(connection.get(), kStepsAtOnce, count_rounds, &rounds);
  sqlite3_db_config(connection.get(), SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(connection.get(), SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_limit(connection.get(), SQLITE_LIMIT_LENGTH, kLargestValue);

  sqlite3_stmt* prepared = nullptr;
  if (sqlite3_prepare_v2(connection.get(),
                         "SELECT blob FROM Packages WHERE hnum IN "
                         "(SELECT hnum FROM Basenames WHERE key = ?1) ORDER BY hnum",
                         -1, &prepared, nullptr) != SQLITE_OK) {
    return;
  }
  const Statement statement(prepared, sqlite3_finalize);
  for (const auto& name : base_names) {
    sqlite3_reset(statement.get());
    sqlite3_bind_text(statement.get(), 1, name.c_str(), static_cast<int>(name.size()),
                      SQLITE_STATIC);
    while (sqlite3_step(statement.get()) == SQLITE_ROW) {
      const auto* blob = static_cast<const std::uint8_t*>(sqlite3_column_blob(statement.get(), 0));
      const int size = sqlite3_column_bytes(statement.get(), 0);
      if (blob != nullptr && size > 0) use({blob, static_cast<std::size_t>(size)});
    }
  }
}

}  // namespace truewheel::repair
