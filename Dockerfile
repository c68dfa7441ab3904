# One process with everything it needs; nothing is fetched when it runs. docs/deploy.md says how to start it.
FROM python:3.11-slim
RUN useradd --create-home --uid 1000 parallax
WORKDIR /home/parallax/app
COPY requirements.txt .
# PyTorch without CUDA from its own index; from the default one where that does not answer.
RUN pip install --no-cache-dir --no-deps --index-url https://download.pytorch.org/whl/cpu "$(grep '^torch==' requirements.txt)" || true
RUN pip install --no-cache-dir -r requirements.txt
COPY --chown=parallax . .
RUN pip install --no-cache-dir --no-deps .
USER parallax
ENV HF_HUB_OFFLINE=1 PYTHONUNBUFFERED=1
EXPOSE 8501
HEALTHCHECK --interval=15s --timeout=3s --start-period=60s \
  CMD python -c "import urllib.request as r; r.urlopen('http://127.0.0.1:8501/api/health', timeout=2)"
CMD ["parallax", "--port", "8501", "--server.address", "0.0.0.0"]
