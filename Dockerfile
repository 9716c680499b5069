# SPDX-License-Identifier: Apache-2.0
# The steps of README on a small image: docker build -t coreloom . && docker run --rm coreloom
FROM python:3.12-slim-bookworm
RUN apt-get update && apt-get install -y --no-install-recommends git make && rm -rf /var/lib/apt/lists/*
WORKDIR /coreloom
COPY . .
RUN make setup
ENV PATH=/coreloom/.venv/bin:$PATH
CMD ["coreloom", "demo"]
