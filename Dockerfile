# The service. docs/installation.md explains how to run it; docker-compose.yml runs it with Fuseki.
# The build is the one of `npm start`; test/docker/docker.long.test.ts runs its steps without a container engine.
# After you change the version of an image, .ci/pin-images looks up the digests.
ARG NODE_IMAGE=node:24.21.0-bookworm-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6

FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --no-audit --no-fund
COPY build.mjs tsconfig.json ./
COPY src src
# The SBOM (CycloneDX) lists packages, versions and licences for vulnerability scanners.
RUN node build.mjs \
  && npm prune --omit=dev --no-audit --no-fund \
  && npm pkg delete devDependencies && npm sbom --sbom-format=cyclonedx > dist/sbom.cdx.json

FROM ${NODE_IMAGE}
# The service writes to /data only. Fuseki leaves its password in /login. New named volumes inherit the owners.
RUN install -d -o node -g node -m 0700 /data && install -d -o 10001 -g 10001 -m 0755 /login
WORKDIR /app
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY package.json ./
COPY queries queries
COPY shapes shapes
COPY src/doors/demo src/doors/demo
COPY docs docs
COPY README.md SECURITY.md CHANGELOG.md ./
# Loading writes temporary files as large as its input, too large for a /tmp in memory.
# With more arenas the GNU C library keeps 30 MB more for threads that no longer need it.
ENV NODE_ENV=production MALLOC_ARENA_MAX=2 HOST=0.0.0.0 PORT=3000 DATA_DIR=/data TMPDIR=/data
# The user node, by number, so that an orchestrator can see that it is not root.
USER 1000:1000
VOLUME ["/data"]
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--enable-source-maps", "--max-semi-space-size=32", "dist/main.js"]
