# One process with everything it needs; nothing is fetched when it runs. docs/deploy.md says how to start it.
# For x86-64, whose files requirements-image.txt names by their hashes.
FROM python:3.11-slim AS built
WORKDIR /source
COPY requirements-image.txt .
RUN pip install --no-cache-dir --prefix=/installed --require-hashes --no-deps -r requirements-image.txt
COPY . .
# Built with the setuptools that was installed above, not with one that is fetched.
RUN PYTHONPATH=/installed/lib/python3.11/site-packages \
  pip install --no-cache-dir --prefix=/installed --no-deps --no-build-isolation .

FROM python:3.11-slim
RUN useradd --create-home --uid 1000 parallax
COPY --from=built /installed /usr/local
USER parallax
WORKDIR /home/parallax
ENV HF_HUB_OFFLINE=1 PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1
# SmolLM2 is converted here, for the file system may be read-only later. A machine without 2.5 GB free leaves it out.
RUN python -m mha.models smollm2 || true
EXPOSE 8501
HEALTHCHECK --interval=15s --timeout=3s --start-period=60s \
  CMD python -c "import urllib.request as r; r.urlopen('http://127.0.0.1:8501/api/health', timeout=2)"
CMD ["parallax", "--port", "8501", "--server.address", "0.0.0.0"]
