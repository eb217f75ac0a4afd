// SPDX-License-Identifier: Apache-2.0
#include "cli/cli.hpp"

int main(int argc, char** argv) { return truewheel::cli::run(argc, argv); }
