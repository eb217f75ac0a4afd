// SPDX-License-Identifier: Apache-2.0
#include "commands/check_reports.hpp"

#include "base/file_descriptor.hpp"
#include "base/output_file.hpp"
#include "report/check_reports.hpp"
#include "report/check_text.hpp"

#include <fcntl.h>
#include <sys/stat.h>

namespace truewheel::commands {
namespace {

std::string text_of(ReportFormat format, const std::vector<check::Outcome>& outcomes,
                    std::optional<Severity> fail_on) {
  switch (format) {
    case ReportFormat::json:
      return report::check_json(outcomes);
    case ReportFormat::sarif:
      return report::check_sarif(outcomes);
    case ReportFormat::junit:
      return report::check_junit(outcomes, fail_on);
    case ReportFormat::markdown:
      return report::check_markdown(outcomes);
    case ReportFormat::html:
      return report::check_html(outcomes);
    case ReportFormat::github:
      return report::check_github(outcomes);
  }
  return {};
}

/// A device or a pipe is written to; a file is replaced when the new one is complete.
void write_to(const std::filesystem::path& path, const std::string& text) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)) {
    const FileDescriptor device(
        uninterrupted([&] { return ::open(path.c_str(), O_WRONLY | O_CLOEXEC); }));
    if (!device.is_open()) throw io_error("output-open", "cannot open it", errno);
    write_fully(device.get(), text.data(), text.size());
    return;
  }
  OutputFile file(path);
  write_fully(file.descriptor(), text.data(), text.size());
  file.publish(Existing::replace);
}

}  // namespace

void write_reports(const std::vector<ReportFile>& reports,
                   const std::vector<check::Outcome>& outcomes, std::optional<Severity> fail_on) {
  std::vector<std::string> texts;
  for (const auto& report : reports) texts.push_back(text_of(report.format, outcomes, fail_on));
  for (std::size_t i = 0; i < reports.size(); ++i) {
    const auto& path = reports[i].path;
    if (path.empty()) {
      write_stdout(texts[i]);
    } else {
      with_context(path.string(), [&] { write_to(path, texts[i]); });
    }
  }
}

}  // namespace truewheel::commands
