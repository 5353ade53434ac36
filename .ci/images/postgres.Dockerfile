FROM docker.io/library/debian:12-slim
RUN apt-get update && apt-get install -y --no-install-recommends postgresql-15 \
    && rm -rf /var/lib/apt/lists/* \
    && install -d -o postgres -g postgres -m 0700 /var/lib/postgresql/data \
    && install -d -o postgres -g postgres /var/run/postgresql
COPY postgres-entry /usr/local/bin/
ENV PATH=/usr/lib/postgresql/15/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
USER postgres
VOLUME /var/lib/postgresql/data
ENTRYPOINT ["postgres-entry"]
