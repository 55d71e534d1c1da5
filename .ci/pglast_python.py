"""The Python of an environment with PostgreSQL's own parser: pglast from PyPI, in the folder for temporary files."""
import subprocess
import sys
import tempfile
from pathlib import Path

VERSION = "8.8"


def run(*command):
    try:
        return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0
    except OSError:
        return False


def python():
    """Returns the path of the Python, and installs the parser where it is missing; None where it cannot be had."""
    environment = Path(tempfile.gettempdir()) / f"pglast-{VERSION}"
    found = environment / "bin" / "python"
    if run(found, "-c", "import pglast"):
        return found
    if run(sys.executable, "-m", "venv", environment) and run(
            environment / "bin" / "pip", "install", f"pglast=={VERSION}"):
        return found
    return None
