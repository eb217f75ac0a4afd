# SPDX-License-Identifier: Apache-2.0
# OpenSSL's configuration may name modules to load. Nobody has ever opened this pipe's other end: who reads it hangs.
. "$(dirname "$0")/common.inc"
example
mkfifo openssl.cnf
OPENSSL_CONF=$PWD/openssl.cnf run 0 timeout 20 "$truewheel" repair --search lib -w out "$wheel"
