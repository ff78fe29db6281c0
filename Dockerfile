# Images of surgqa.  docs/containers.md says which one to take and how to run it.
#
#   docker build -t surgqa .                            slim: builds, checks, scores; no models
#   docker build -t surgqa-worker --target worker .     Beam workers for Flink
#
# Targets: slim, models-cpu, models-cuda, worker, worker-models, worker-dataflow.
#
# Packages come from the lock files of requirements/ only, are installed into folders of
# their own, and are copied from there: no compiler, cache or source tree gets into an image.
# Modules are compiled by their content, not by the time of a file: the same bytes each time.

ARG PYTHON_DIGEST=""
ARG BEAM_DIGEST=""
ARG MODELS=cpu

# The release of Beam must be that of requirements/core.txt, and its Python that of 'base'.
FROM apache/beam_python3.11_sdk:2.77.0${BEAM_DIGEST:+@${BEAM_DIGEST}} AS beam

FROM python:3.11-slim-bookworm${PYTHON_DIGEST:+@${PYTHON_DIGEST}} AS base
# No output depends on the hash seed; with a fixed one a dependency cannot make it so.
ENV PYTHONHASHSEED=0 \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    LANG=C.UTF-8 \
    TZ=UTC
RUN useradd --create-home --uid 10001 surgqa


# ---- packages: made in stages that no image is based on ---------------------------------

FROM base AS locked
ARG LOCKS="core"
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 \
    PIP_ROOT_USER_ACTION=ignore \
    PIP_NO_CACHE_DIR=1
WORKDIR /build
COPY requirements /build/requirements
RUN python -m pip install --no-cache-dir --constraint requirements/dev.txt hatchling
RUN for lock in ${LOCKS}; do \
      python -m pip install --no-cache-dir --no-deps --no-compile --ignore-installed \
        --prefix /install --requirement "requirements/${lock}.txt" || exit 1; \
    done \
 && python -m compileall -q -j 0 --invalidation-mode unchecked-hash -s /install -p /usr/local /install/lib

FROM locked AS application
COPY . /build/source
RUN python -m pip wheel --no-cache-dir --no-deps --no-build-isolation \
      --wheel-dir /build/wheels /build/source \
 && python -m pip install --no-cache-dir --no-deps --no-compile --ignore-installed \
      --prefix /application /build/wheels/*.whl \
 && python -m compileall -q -j 0 --invalidation-mode unchecked-hash -s /application -p /usr/local /application/lib

# Three packages of the lock file come as sources.  Their build needs setuptools; that of
# sam2 would ask for torch and a CUDA compiler for an extension that it also runs without.
FROM locked AS packages
ENV SAM2_BUILD_CUDA=0
RUN grep -E '^(torch|torchvision)==' requirements/models.txt > torch.txt \
 && grep -vE '^(torch|torchvision)==' requirements/models.txt > others.txt \
 && python -m pip install --no-cache-dir --no-deps --constraint others.txt setuptools \
 && python -m pip install --no-cache-dir --no-deps --no-compile --ignore-installed \
      --use-pep517 --no-build-isolation --prefix /models --requirement others.txt

FROM packages AS packages-cpu
# The address of a package index that holds torch built without CUDA.
ARG TORCH_INDEX=""
RUN : "${TORCH_INDEX:?name an index of torch wheels for the CPU: --build-arg TORCH_INDEX=...}" \
 && python -m pip install --no-cache-dir --no-deps --no-compile --ignore-installed \
      --index-url "${TORCH_INDEX}" --prefix /models --requirement torch.txt \
 && python -m compileall -q -j 0 --invalidation-mode unchecked-hash -s /models -p /usr/local /models/lib

FROM packages AS packages-cuda
RUN python -m pip install --no-cache-dir --no-deps --no-compile --ignore-installed \
      --prefix /models --requirement torch.txt --requirement requirements/models-cuda.txt \
 && python -m compileall -q -j 0 --invalidation-mode unchecked-hash -s /models -p /usr/local /models/lib

# hadolint ignore=DL3006
FROM packages-${MODELS} AS packages-chosen

# Model weights to bake in: 'docker build --build-context weights=FOLDER' takes the place of
# this stage, which holds only the list of packages that load them.
FROM scratch AS weights
COPY requirements/models.txt /models.txt


# ---- images -----------------------------------------------------------------------------

FROM base AS runtime
ARG VERSION=0.1.0
ARG REVISION=""
LABEL org.opencontainers.image.title="surgqa" \
      org.opencontainers.image.description="Surgical video annotations to question-answer datasets, by rule" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
RUN python -m pip uninstall --yes pip setuptools wheel
COPY --from=locked /install /usr/local
COPY --from=application /application /usr/local
USER 10001
WORKDIR /home/surgqa
ENTRYPOINT ["surgqa"]
CMD ["--help"]

# Libraries that look for updates, usage counters or more threads are told not to.
FROM runtime AS models
LABEL org.opencontainers.image.licenses="Apache-2.0 AND AGPL-3.0-only"
ENV OMP_NUM_THREADS=1 \
    HF_HUB_OFFLINE=1 \
    YOLO_OFFLINE=1 \
    YOLO_AUTOINSTALL=0 \
    YOLO_VERBOSE=false \
    YOLO_CONFIG_DIR=/tmp/ultralytics
COPY --from=weights / /weights/

FROM models AS models-cpu
COPY --from=packages-cpu /models /usr/local

FROM models AS models-cuda
ENV NVIDIA_VISIBLE_DEVICES=all \
    NVIDIA_DRIVER_CAPABILITIES=compute,utility
COPY --from=packages-cuda /models /usr/local

# pip stays: Beam's boot program calls it for packages that a job brings along.
FROM base AS worker
ARG VERSION=0.1.0
ARG REVISION=""
LABEL org.opencontainers.image.title="surgqa worker" \
      org.opencontainers.image.description="Apache Beam worker with surgqa in it" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
# Without it Beam makes a virtual environment in a folder that only root can write.
ENV RUN_PYTHON_SDK_IN_DEFAULT_ENVIRONMENT=1
COPY --from=beam /opt/apache/beam /opt/apache/beam
COPY --from=locked /install /usr/local
COPY --from=application /application /usr/local
USER 10001
WORKDIR /home/surgqa
ENTRYPOINT ["/opt/apache/beam/boot"]

FROM worker AS worker-models
LABEL org.opencontainers.image.licenses="Apache-2.0 AND AGPL-3.0-only"
ENV OMP_NUM_THREADS=1 \
    HF_HUB_OFFLINE=1 \
    YOLO_OFFLINE=1 \
    YOLO_AUTOINSTALL=0 \
    YOLO_VERBOSE=false \
    YOLO_CONFIG_DIR=/tmp/ultralytics
COPY --from=weights / /weights/
COPY --from=packages-chosen /models /usr/local

# Dataflow mounts folders of root into its workers, which boot writes to.
FROM worker AS worker-dataflow
# hadolint ignore=DL3002
USER 0

# The last stage is what 'docker build' makes when no target is named.
FROM runtime AS slim
