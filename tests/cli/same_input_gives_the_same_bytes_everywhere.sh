# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/common.inc"
example
run 0 "$truewheel" repair --search lib -w a "$wheel"
wheel=$(readlink -f "$wheel")
lib=$(readlink -f lib)
(cd / && umask 077 && TZ=Asia/Tokyo LC_ALL=C.UTF-8 "$truewheel" repair -j 1 --search "$lib" -w "$scratch/b" "$wheel" >/dev/null)
TZ=America/New_York run 0 "$truewheel" repair -j 7 --search lib -w c "$wheel"
cmp a/*.whl b/*.whl
cmp a/*.whl c/*.whl
SOURCE_DATE_EPOCH=1700000000 run 0 "$truewheel" repair --search lib -w d "$wheel"
cmp -s a/*.whl d/*.whl && false
python3 -c "
import glob, zipfile
assert {i.date_time for i in zipfile.ZipFile(glob.glob('d/*.whl')[0]).infolist()} == {(2023, 11, 14, 22, 13, 20)}
assert {i.date_time for i in zipfile.ZipFile(glob.glob('a/*.whl')[0]).infolist()} == {(1980, 1, 1, 0, 0, 0)}"
