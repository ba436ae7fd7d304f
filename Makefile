# make          the program for this machine: ./voxelpopuli
# make run      a world on this machine, opened in the browser
# make test     quick checks while editing (./check --quick)
# make hostile  what attackers do: clients, nodes, files
# make check    all checks, as CI runs them (./check)
# make web      the browser client's bundle, after a change in web/src
# make generate generated code, after a change of the block table
# make lab      the list of experiments; make lab RUN="terrain --seed 2" runs one
# make dist     static programs for all systems, packed, manifests, checksums: dist/

VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo development)
TARGETS := linux-amd64 linux-arm64 darwin-amd64 darwin-arm64 windows-amd64 windows-arm64

# Nothing of the machine goes in: the same commit gives the same bytes.
# The page is served by HTTP/1.1 alone, since WebSockets are taken over from it.
# The linker aligns functions to 32 bytes unless told otherwise: 0.3 MB of padding.
GOFLAGS_DIST := -trimpath -buildvcs=false -tags nethttpomithttp2
LDFLAGS := -s -w -funcalign=8 -buildid= -X main.stamped=$(VERSION)

# Code that is not on the way of frames, edits or packets is not inlined: 1.3 MB
# (docs/decisions/0081-distribution.md).
MODULE := github.com/voxelpopuli/voxelpopuli
PEBBLE := github.com/cockroachdb/pebble/v2
COLD := $(MODULE)/cmd/... $(MODULE)/internal/app/... $(MODULE)/internal/store/... \
	$(MODULE)/internal/game/lobby/... $(MODULE)/internal/game/decision/... \
	$(MODULE)/internal/game/pack/... $(MODULE)/internal/game/packlist/... \
	$(MODULE)/internal/game/foreign/... $(MODULE)/internal/game/invitation/... \
	$(MODULE)/internal/game/regionlog/... $(MODULE)/internal/cluster/node/... \
	$(MODULE)/internal/game/genesis $(MODULE)/internal/game/clipboard $(MODULE)/internal/game/line $(MODULE)/internal/net/codec \
	$(MODULE)/internal/core/nbt $(MODULE)/internal/core/closest $(MODULE)/internal/core/identity \
	$(MODULE)/internal/cluster/kademlia/... $(MODULE)/internal/cluster/group/... \
	$(MODULE)/internal/verified/... $(MODULE)/internal/net/nat/... \
	$(MODULE)/internal/net/datachannel/... $(MODULE)/internal/net/transport/... \
	$(MODULE)/internal/net/clock/... $(MODULE)/internal/cluster/records/... $(MODULE)/internal/game/inputlog \
	$(MODULE)/internal/game/genesis/... $(MODULE)/internal/game/clipboard/... \
	$(PEBBLE) $(PEBBLE)/objstorage/... $(PEBBLE)/vfs/... $(PEBBLE)/wal/... \
	$(PEBBLE)/sstable $(PEBBLE)/sstable/blob/... $(PEBBLE)/internal/manifest/... \
	$(PEBBLE)/internal/overlap/... $(PEBBLE)/internal/keyspan/... $(PEBBLE)/internal/compact \
	$(PEBBLE)/record $(PEBBLE)/internal/rangedel $(PEBBLE)/internal/rangekey $(PEBBLE)/rangekey \
	$(PEBBLE)/sstable/colblk $(PEBBLE)/sstable/valblk \
	github.com/cockroachdb/errors/... github.com/cockroachdb/redact/... \
	github.com/cockroachdb/crlib/... github.com/cockroachdb/tokenbucket/... \
	github.com/cockroachdb/logtags/... github.com/tinylib/... github.com/pkg/errors/... \
	github.com/RaduBerinde/... github.com/getsentry/... github.com/kr/... \
	github.com/gogo/... google.golang.org/protobuf/... github.com/prometheus/... \
	github.com/klauspost/compress/fse github.com/klauspost/compress/huff0 \
	github.com/minio/... github.com/cespare/... github.com/pion/... \
	github.com/quic-go/... github.com/coder/... github.com/huin/... github.com/beevik/... \
	github.com/spf13/... go.etcd.io/... rsc.io/... golang.org/x/crypto/acme/... \
	golang.org/x/text/... golang.org/x/net/... vendor/golang.org/x/net/... \
	vendor/golang.org/x/text/... encoding/json encoding/xml encoding/gob encoding/asn1 \
	text/... mime/... regexp/... log/... image/... archive/... html/... go/... \
	strconv path/... bufio context math/big database/sql/... fmt reflect os/... time io/fs \
	net net/http/... net/textproto net/mail net/url runtime/pprof crypto/tls crypto/x509 crypto/rsa crypto/ecdsa \
	crypto/internal/fips140/rsa crypto/internal/fips140/nistec/... crypto/internal/fips140/ecdsa \
	crypto/internal/fips140/mlkem crypto/hpke vendor/golang.org/x/crypto/... encoding/csv encoding/pem \
	github.com/klauspost/compress/zstd github.com/klauspost/compress/s2 compress/zlib \
	$(MODULE)/internal/game/wire sort strings encoding/hex encoding/base64 compress/gzip \
	crypto/ecdh crypto/elliptic crypto/internal/fips140/ecdh crypto/internal/fips140/bigmod \
	crypto/internal/fips140/drbg crypto/internal/fips140/sha3 \
	crypto/internal/fips140/tls12 crypto/internal/fips140/tls13
GCFLAGS := $(foreach package,$(COLD),-gcflags='$(package)=-l')

build:
	CGO_ENABLED=0 go build $(GOFLAGS_DIST) $(GCFLAGS) -ldflags '$(LDFLAGS)' -o voxelpopuli ./cmd/voxelpopuli

dist: $(addprefix dist-,$(TARGETS))
	go -C tools/deb run . '$(CURDIR)/dist' '$(VERSION)'
	go -C tools run ./dist '$(CURDIR)/dist' '$(VERSION)'

dist-%:
	CGO_ENABLED=0 GOOS=$(word 1,$(subst -, ,$*)) GOARCH=$(word 2,$(subst -, ,$*)) \
		go build $(GOFLAGS_DIST) $(GCFLAGS) -ldflags '$(LDFLAGS)' \
		-o dist/voxelpopuli-$*$(if $(findstring windows,$*),.exe) ./cmd/voxelpopuli

run:
	go run ./cmd/voxelpopuli play

test:
	./check --quick

# Tests that are written from the attacker's side begin with TestHostile, or stand in
# a file that is named for it.
HOSTILE_FILES = $(shell find cmd internal -name '*hostile*_test.go' -o -name '*liar*_test.go' -o -name '*flood*_test.go')
HOSTILE_TESTS = $(shell grep -hoE '^func Test[A-Za-z0-9_]+' $(HOSTILE_FILES) | cut -c 6- | sort -u | tr '\n' '|')

hostile:
	go test -count 1 -run '^($(HOSTILE_TESTS)TestHostile.*|Test.*(Liar|Stranger|Nonsense|Garbage|Impostor).*)$$' ./...

check:
	./check

web:
	go -C tools run ./bundle

generate:
	go generate ./...

lab:
	go run ./cmd/vplab $(if $(RUN),run $(RUN),list)

clean:
	rm -rf dist voxelpopuli

.PHONY: build run test hostile check web generate lab dist clean
