# make        the program for this machine: ./voxelpopuli
# make dist   static programs for all systems and their checksums: dist/
# make check  all checks (./check)

VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo development)
TARGETS := linux-amd64 linux-arm64 darwin-amd64 darwin-arm64 windows-amd64 windows-arm64

# Nothing of the machine goes in: the same commit gives the same bytes.
GOFLAGS_DIST := -trimpath -buildvcs=false
LDFLAGS := -s -w -buildid= -X main.stamped=$(VERSION)

build:
	CGO_ENABLED=0 go build $(GOFLAGS_DIST) -ldflags '$(LDFLAGS)' -o voxelpopuli ./cmd/voxelpopuli

dist: $(addprefix dist-,$(TARGETS))
	cd dist && sha256sum voxelpopuli-* > SHA256SUMS

dist-%:
	CGO_ENABLED=0 GOOS=$(word 1,$(subst -, ,$*)) GOARCH=$(word 2,$(subst -, ,$*)) \
		go build $(GOFLAGS_DIST) -ldflags '$(LDFLAGS)' \
		-o dist/voxelpopuli-$*$(if $(findstring windows,$*),.exe) ./cmd/voxelpopuli

check:
	./check

clean:
	rm -rf dist voxelpopuli

.PHONY: build dist check clean
