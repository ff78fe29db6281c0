# The question side of surgqa: reads annotations, builds, checks and scores.  No model is
# in it; the stage with the model extras comes with 'surgqa observe'.
#
#   docker build -t surgqa .
#   docker run --rm -v /data/cholect50:/data:ro -v "$PWD/out:/out" surgqa \
#     build --dataset cholect50 --root /data --benchmark surgstu --out /out/cholect50
FROM python:3.11-slim AS wheel
WORKDIR /src
COPY . .
RUN pip wheel --no-cache-dir --no-deps --wheel-dir /wheels .

FROM python:3.11-slim
ENV PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 PYTHONHASHSEED=0
COPY requirements/core.txt /tmp/core.txt
RUN pip install --no-cache-dir --no-deps -r /tmp/core.txt && rm /tmp/core.txt
COPY --from=wheel /wheels /tmp/wheels
RUN pip install --no-cache-dir --no-deps /tmp/wheels/*.whl && rm -r /tmp/wheels \
 && useradd --create-home --uid 10001 surgqa
USER surgqa
WORKDIR /home/surgqa
ENTRYPOINT ["surgqa"]
CMD ["--help"]
