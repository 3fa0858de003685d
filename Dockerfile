# syntax=docker/dockerfile:1
FROM python:3.13-slim AS build
WORKDIR /build
RUN python -m venv /opt/hexgrove
COPY pyproject.toml requirements.lock README.md LICENSE ./
# The dependencies change less often than the code, so they get a layer of their own.
RUN python -c "import tomllib; print(*tomllib.load(open('pyproject.toml', 'rb'))['project']['dependencies'], sep='\n')" \
    > requirements.txt \
    && /opt/hexgrove/bin/pip install --no-cache-dir -c requirements.lock -r requirements.txt
COPY bot bot
COPY rules rules
COPY render render
RUN /opt/hexgrove/bin/pip install --no-cache-dir --no-deps .

FROM python:3.13-slim
LABEL org.opencontainers.image.title="Hexgrove" org.opencontainers.image.licenses="MIT"
RUN useradd --system --create-home --uid 10001 hexgrove \
    && install --directory --owner hexgrove /data
COPY --from=build /opt/hexgrove /opt/hexgrove
USER hexgrove
WORKDIR /data
VOLUME /data
ENV PATH=/opt/hexgrove/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    DATABASE_URL=sqlite+aiosqlite:////data/hexgrove.db \
    HEALTH_FILE=/tmp/hexgrove-healthy \
    LOG_FORMAT=json
# The bot touches its health file every 20 seconds while it is connected; migrations run on its start.
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s --retries=3 \
    CMD ["python", "-c", "import os, sys, time; sys.exit(time.time() - os.stat(os.environ['HEALTH_FILE']).st_mtime > 60)"]
STOPSIGNAL SIGTERM
CMD ["python", "-m", "bot"]
