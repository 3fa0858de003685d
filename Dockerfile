# syntax=docker/dockerfile:1
FROM python:3.13-slim@sha256:7c61056e61ac89e852de05f3dc6fa51a6dd2181797bceed46aa725dd7cb2cd3b AS build
WORKDIR /build
RUN python -m venv /opt/hexgrove
# The dependencies change less often than the code, so they get a layer of their own.
COPY requirements.lock ./
RUN /opt/hexgrove/bin/pip install --no-cache-dir --require-hashes -r requirements.lock
COPY pyproject.toml README.md LICENSE ./
COPY bot bot
COPY rules rules
COPY render render
# The build uses the setuptools of the lock file instead of fetching one; nothing needs it afterwards.
RUN /opt/hexgrove/bin/pip install --no-cache-dir --no-build-isolation --no-deps . \
    && /opt/hexgrove/bin/pip uninstall --yes setuptools

FROM python:3.13-slim@sha256:7c61056e61ac89e852de05f3dc6fa51a6dd2181797bceed46aa725dd7cb2cd3b
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
# A board is drawn in a buffer of 15 MB. glibc then returns it at once, and does not keep such buffers for each thread.
ENV MALLOC_ARENA_MAX=2 \
    MALLOC_MMAP_THRESHOLD_=4000000 \
    MALLOC_TRIM_THRESHOLD_=4000000
# The bot touches its health file every 20 seconds while it is connected; migrations run on its start.
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s --retries=3 \
    CMD ["python", "-c", "import os, sys, time; sys.exit(time.time() - os.stat(os.environ['HEALTH_FILE']).st_mtime > 60)"]
STOPSIGNAL SIGTERM
CMD ["python", "-m", "bot"]
