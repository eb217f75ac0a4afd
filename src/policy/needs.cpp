// SPDX-License-Identifier: Apache-2.0
#include "policy/needs.hpp"

#include "policy/machine.hpp"
#include "policy/versions.hpp"

#include <algorithm>

namespace truewheel::policy {
namespace {

constexpr std::string_view kRelrVersion = "GLIBC_ABI_DT_RELR";

// PEP 513: PyFPE_* exists only where Python was built --with-fpectl (gone since 3.7),
// PyUnicodeUCS2_* only in narrow builds (gone since 3.3).
bool is_rare_python_symbol(std::string_view name) {
  return name == "PyFPE_jbuf" || name == "PyFPE_dummy" || name == "PyFPE_counter" ||
         name.starts_with("PyUnicodeUCS2_");
}

void sort_unique(std::vector<std::string>& names) {
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
}

}  // namespace

FileNeeds::FileNeeds(const deps::Node& node, const std::set<std::string>& forbidden)
    : node_(&node) {
  for (const elf::VersionNeed& need : node.facts->version_needs) {
    for (const elf::NeededVersion& version : need.versions) {
      if (!version.weak) versions_.push_back({need.file, version.name});
    }
  }
  // A loader that does not know packed relocations leaves them undone. glibc 2.36 brought them and
  // this version with them; lld's --pack-dyn-relocs=relr writes the one without the other.
  const bool says_relr =
      std::any_of(versions_.begin(), versions_.end(),
                  [](const Version& version) { return version.name == kRelrVersion; });
  if (node.facts->has_relr && node.facts->is_dynamic() && !says_relr) {
    versions_.push_back({"libc.so.6", kRelrVersion});
  }
  for (const elf::ImportedSymbol& symbol : node.facts->imports) {
    if (symbol.weak) continue;  // it may stay undefined (auditwheel#663)
    if (is_rare_python_symbol(symbol.name)) python_symbols_.push_back(symbol.name);
    if (forbidden.contains(symbol.name)) forbidden_.push_back({symbol.file, symbol.name});
  }
  sort_unique(python_symbols_);
}

std::vector<std::string> FileNeeds::symbols_of(const Version& version) const {
  std::vector<std::string> symbols;
  for (const elf::ImportedSymbol& symbol : node_->facts->imports) {
    if (symbol.version == version.name && symbol.file == version.library) {
      symbols.push_back(symbol.name);
    }
  }
  sort_unique(symbols);
  return symbols;
}

Offence FileNeeds::offence(Offence::Kind kind) const {
  Offence result;
  result.kind = kind;
  result.file = node_->path;
  result.in_wheel = node_->in_wheel;
  return result;
}

void FileNeeds::judge(const Policy& policy, const EvaluateOptions& options,
                      std::vector<Offence>& offences) const {
  judge_versions(policy, options, offences);
  judge_forbidden(policy, offences);
  if (options.check_isa) {
    if (const auto level = isa_above_baseline(*node_->facts)) {
      offences.push_back(offence(Offence::Kind::isa));
      offences.back().version = *level;
    }
  }
  if (!python_symbols_.empty()) {
    offences.push_back(offence(Offence::Kind::python));
    offences.back().symbols = python_symbols_;
  }
}

void FileNeeds::judge_versions(const Policy& policy, const EvaluateOptions& options,
                               std::vector<Offence>& offences) const {
  for (const Version& version : versions_) {
    const auto known = family_of(policy, version.name);
    if (!known) continue;
    if (options.libstdcxx == Libstdcxx::host && is_libstdcxx_family(known->family)) continue;
    // Set membership, not order: aarch64's 2_17 has GLIBC 2.18, and 2_37 has not 2.37
    // (auditwheel's tables).
    if (policy.symbol_versions.at(known->family).contains(known->version)) continue;
    offences.push_back(offence(Offence::Kind::version));
    offences.back().library = version.library;
    offences.back().version = version.name;
    offences.back().symbols = symbols_of(version);
  }
}

void FileNeeds::judge_forbidden(const Policy& policy, std::vector<Offence>& offences) const {
  if (forbidden_.empty()) return;
  for (const auto& entry : policy.blacklisted_symbols) {
    const std::string& library = entry.first;  // clang 15 cannot capture a structured binding
    const bool needs_it =
        std::any_of(node_->edges.begin(), node_->edges.end(), [&](const deps::Edge& edge) {
          return edge.needed == library && edge.answer != deps::Answer::excluded;
        });
    if (!needs_it) continue;
    std::vector<std::string> used;
    for (const Version& symbol : forbidden_) {
      // A version that belongs to another library says that the symbol does, too.
      const bool may_be_its = symbol.library.empty() || symbol.library == library;
      const std::string name(symbol.name);
      if (may_be_its && entry.second.contains(name)) used.push_back(name);
    }
    if (used.empty()) continue;
    sort_unique(used);
    offences.push_back(offence(Offence::Kind::blacklisted_symbol));
    offences.back().library = library;
    offences.back().symbols = std::move(used);
  }
}

}  // namespace truewheel::policy
