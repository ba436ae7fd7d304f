# docker build --build-arg VERSION=$(git describe --tags --always) -t voxelpopuli .
FROM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG VERSION=development
RUN CGO_ENABLED=0 go build -trimpath -buildvcs=false -ldflags "-s -w -buildid= -X main.stamped=$VERSION" -o /voxelpopuli ./cmd/voxelpopuli \
    && mkdir /data

FROM gcr.io/distroless/static-debian12:nonroot
COPY --from=build /voxelpopuli /voxelpopuli
# The volume begins as a copy of this folder, which belongs to the user.
COPY --from=build --chown=nonroot:nonroot /data /data
USER nonroot:nonroot
ENV VOXELPOPULI_DATA=/data VOXELPOPULI_SHARE=true VOXELPOPULI_LOG_JSON=true VOXELPOPULI_NO_PORT_MAPPING=true
VOLUME /data
# A container is of use only if others reach it: what is published decides who can.
# The gateway for browsers is TCP, nodes speak to each other over UDP.
EXPOSE 4747/tcp 4747/udp
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s CMD ["/voxelpopuli", "status", "127.0.0.1:4747"]
STOPSIGNAL SIGINT
ENTRYPOINT ["/voxelpopuli"]
CMD ["node"]
