# docker build --build-arg VERSION=$(git describe --tags --always) -t voxelpopuli .
# Images are named by version, not by digest: `make dist` gives the same bytes from
# the same commit whatever image runs it, and nothing of an image but the Go compiler
# goes into ours. To pin the compiler too, give its digest:
#   --build-arg GO=golang@sha256:...
ARG GO=golang:1.26-bookworm
FROM ${GO} AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG VERSION=development
RUN CGO_ENABLED=0 go build -trimpath -buildvcs=false -tags nethttpomithttp2 -ldflags "-s -w -buildid= -X main.stamped=$VERSION" -o /voxelpopuli ./cmd/voxelpopuli \
    && mkdir /data

# Nothing but the program: no image of others to trust or to update. Certificates and
# time zones are not needed, for nothing is fetched over HTTPS.
FROM scratch
COPY --from=build /voxelpopuli /voxelpopuli
# The volume begins as a copy of this folder, which belongs to the user and to nobody
# else.
COPY --from=build --chown=65532:65532 --chmod=700 /data /data
USER 65532:65532
ENV VOXELPOPULI_DATA=/data VOXELPOPULI_SHARE=true VOXELPOPULI_LOG_JSON=true VOXELPOPULI_NO_PORT_MAPPING=true
VOLUME /data
# A container is of use only if others reach it: what is published decides who can.
# The gateway for browsers is TCP, nodes speak to each other over UDP.
EXPOSE 4747/tcp 4747/udp
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s CMD ["/voxelpopuli", "status", "127.0.0.1:4747"]
STOPSIGNAL SIGINT
ENTRYPOINT ["/voxelpopuli"]
CMD ["node"]
