package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/app/host"
	"github.com/voxelpopuli/voxelpopuli/internal/core/identity"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/slowtest"
	"github.com/voxelpopuli/voxelpopuli/internal/store/authority"
	"github.com/voxelpopuli/voxelpopuli/internal/store/keyring"
)

// papers are files of authorities for the node of a program with the world "castle".
type papers struct {
	program
	key  []byte // of the node
	dir  string
	good map[string]string // flag → file that is valid
}

func newPapers(t *testing.T) *papers {
	p := &papers{program: program{t, t.TempDir()}, dir: t.TempDir(), good: map[string]string{}}
	p.ok("identity", "new", "node", "--difficulty", "0")
	ring, err := keyring.Open(p.data)
	if err != nil {
		t.Fatal(err)
	}
	node, err := ring.Get(keyring.Node, "")
	if err != nil {
		t.Fatal(err)
	}
	p.key = node.Public()
	for _, name := range []string{"castle", "elsewhere"} {
		p.ok("authority", "init", name, "--zones", "4")
	}
	p.ok("world", "new", "castle", "--authority", "castle")
	p.good["certificate"] = p.file("good.pem", p.certificate("castle", p.key, 0, time.Hour))
	p.good["revocations"] = p.file("revoked.pem", p.revocations("castle"))
	return p
}

func (p *papers) file(name string, b []byte) string {
	p.t.Helper()
	name = filepath.Join(p.dir, name)
	if err := os.WriteFile(name, b, 0o600); err != nil {
		p.t.Fatal(err)
	}
	return name
}

func (p *papers) authority(name string, do func(*authority.Authority) error) {
	p.t.Helper()
	a, err := authority.Open(authority.Folder(p.data, name))
	if err != nil {
		p.t.Fatal(err)
	}
	defer a.Close()
	if err := do(a); err != nil {
		p.t.Fatal(err)
	}
}

// certificate is in force from a time before now until one after that.
func (p *papers) certificate(by string, key []byte, from, until time.Duration) (b []byte) {
	p.t.Helper()
	p.authority(by, func(a *authority.Authority) error {
		c, err := a.Issue(key, "", time.Now().Add(from), time.Now().Add(until))
		if err == nil {
			b = keyring.CertificateText(c)
		}
		return err
	})
	return b
}

func (p *papers) revocations(by string, serials ...uint64) (b []byte) {
	p.t.Helper()
	p.authority(by, func(a *authority.Authority) error {
		l, err := a.Revoke(time.Now(), serials...)
		if err == nil {
			b = keyring.RevocationsText(l)
		}
		return err
	})
	return b
}

// forged is a certificate or a list whose content was changed after it was signed.
func (p *papers) forged(flag string) []byte {
	p.t.Helper()
	if flag == "certificate" {
		c, err := keyring.ReadCertificate(p.good[flag])
		if err != nil {
			p.t.Fatal(err)
		}
		c.Until += machine.Time(time.Hour)
		return keyring.CertificateText(c)
	}
	l, err := keyring.ReadRevocations(p.good[flag])
	if err != nil {
		p.t.Fatal(err)
	}
	return keyring.RevocationsText(&identity.Revocations{World: l.World, Version: l.Version + 1, Issued: l.Issued, Signature: l.Signature})
}

// TestHostilePapers: whatever a file of the authority holds, a node does not start with
// it, and says in one line which file it is and why. Nothing is changed by that: with
// good files it starts. Fails without host.checkRevocations.
func TestHostilePapers(t *testing.T) {
	slowtest.Skip(t, "takes seconds")
	p := newPapers(t)
	stranger := make([]byte, 32)
	copy(stranger, p.key)
	stranger[0] ^= 1
	for _, c := range []struct {
		flag, what string
		bad        []byte
		says       string
	}{
		{"certificate", "for another node", p.certificate("castle", stranger, 0, time.Hour), "not"},
		{"certificate", "of another world", p.certificate("elsewhere", p.key, 0, time.Hour), "for the world"},
		{"certificate", "expired", p.certificate("castle", p.key, -2*time.Hour, -time.Hour), "authority for a new one"},
		{"certificate", "of next week", p.certificate("castle", p.key, 100*time.Hour, 200*time.Hour), "is the clock right?"},
		{"certificate", "forged", p.forged("certificate"), "not signed by the authority"},
		{"certificate", "a list", p.revocations("castle"), "BEGIN VOXEL POPULI CERTIFICATE"},
		{"revocations", "of another world", p.revocations("elsewhere"), "another world"},
		{"revocations", "forged", p.forged("revocations"), "not signed by the authority"},
		{"revocations", "a certificate", p.certificate("castle", p.key, 0, time.Hour), "BEGIN VOXEL POPULI REVOCATIONS"},
	} {
		p.refused(c.flag, c.what, c.bad, c.says)
	}
	for flag, name := range p.good {
		good, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for what, bad := range map[string][]byte{
			"empty": {}, "garbage": []byte("\x00\xff garbage"), "cut": good[:len(good)/2], "giant": make([]byte, 65<<20),
			"no content":    []byte("-----BEGIN VOXEL POPULI " + strings.ToUpper(flag) + "-----\n-----END VOXEL POPULI " + strings.ToUpper(flag) + "-----\n"),
			"other content": []byte("-----BEGIN VOXEL POPULI " + strings.ToUpper(flag) + "-----\nAAAA\n-----END VOXEL POPULI " + strings.ToUpper(flag) + "-----\n"),
		} {
			p.refused(flag, what, bad, "")
		}
	}
	for flag := range p.good {
		p.refused(flag, "missing", nil, "")
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // a node that starts goes on
	defer cancel()
	var log bytes.Buffer
	p.ok("world", "new", "open", "--difficulty", "0")
	code := run(ctx, []string{"--data", p.data, "node", "--world", "open", "--port", "-1", "--nodes", "127.0.0.1:0", "--revocations", p.good["revocations"]}, &bytes.Buffer{}, &log)
	if code != host.ExitData || !strings.Contains(log.String(), "has no authority") {
		t.Errorf("revocations in an open world: exit code %d: %.600s", code, log.String())
	}
	log.Reset()
	code = run(ctx, []string{"--data", p.data, "node", "--world", "castle", "--port", "-1", "--alone", "--revocations", p.good["revocations"]}, &bytes.Buffer{}, &log)
	if code != host.ExitUsage || !strings.Contains(log.String(), "would shut nobody out") {
		t.Errorf("revocations without other nodes: exit code %d: %.600s", code, log.String())
	}
	h, err := host.Start(host.Config{Data: p.data, World: "castle", Port: -1, Nodes: "127.0.0.1:0", Certificate: p.good["certificate"], Revocations: p.good["revocations"]})
	if err != nil {
		t.Fatalf("with good files: %v", err)
	}
	if err := h.Close(context.Background()); err != nil {
		t.Error(err)
	}
}

// refused starts the node with a bad file; nil: with none.
func (p *papers) refused(flag, what string, bad []byte, says string) {
	p.t.Helper()
	name := p.file("bad.pem", bad)
	if bad == nil {
		name += ".missing"
	}
	args := []string{"--data", p.data, "node", "--world", "castle", "--port", "-1", "--nodes", "127.0.0.1:0", "--" + flag, name}
	if flag != "certificate" {
		args = append(args, "--certificate", p.good["certificate"])
	}
	ctx, cancel := context.WithTimeout(p.t.Context(), time.Minute) // a node that starts goes on
	defer cancel()
	var out, log bytes.Buffer
	code := run(ctx, args, &out, &log)
	errs := log.String()
	last := strings.TrimSpace(errs[strings.LastIndex(strings.TrimSpace(errs), "\n")+1:])
	if code != host.ExitData || len(last) > 1000 || !strings.Contains(last, name) || !strings.Contains(last, says) {
		p.t.Errorf("--%s, %s: exit code %d: %.600s", flag, what, code, errs)
	}
	if now, err := os.ReadFile(name); (err != nil) != (bad == nil) || !bytes.Equal(now, bad) {
		p.t.Errorf("--%s, %s: the file was changed: %v", flag, what, err)
	}
}
