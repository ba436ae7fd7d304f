package host_test

import (
	"context"
	"crypto/ed25519"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/app/host"
	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	ident "github.com/voxelpopuli/voxelpopuli/internal/core/identity"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/slowtest"
	"github.com/voxelpopuli/voxelpopuli/internal/store/authority"
	"github.com/voxelpopuli/voxelpopuli/internal/store/disk/worldfs"
	"github.com/voxelpopuli/voxelpopuli/internal/store/keyring"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
)

// verifiedCluster is a world with an authority, whose nodes run in this process and talk
// over the loopback.
type verifiedCluster struct {
	*testing.T
	authority *authority.Authority
	hosts     []*host.Host
	certs     []*ident.Certificate
	gone      []bool
	configs   []host.Config
	keys      []ed25519.PrivateKey
	unrevoked []byte // a list without anybody
	log       *lines // of all nodes; nil: it is not looked at
}

// lines is a log that is read while it is written.
type lines struct {
	mu sync.Mutex
	b  strings.Builder
}

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(b)
}

func (l *lines) has(text string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Contains(l.b.String(), text)
}

func newVerifiedCluster(t *testing.T, nodes int) *verifiedCluster {
	a, err := authority.Init(filepath.Join(t.TempDir(), "castle"), 4, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close() })
	list, err := a.Revoke(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	c := &verifiedCluster{T: t, authority: a, unrevoked: keyring.RevocationsText(list)}
	for range nodes {
		c.add()
	}
	return c
}

// add starts a node: the first one has the world, others join by the first and
// the last one.
func (c *verifiedCluster) add() {
	c.Helper()
	cfg := config(c.T)
	cfg.Nodes = "127.0.0.1:0"
	if len(c.hosts) == 0 {
		folder, err := worldfs.OpenFolder(cfg.Data)
		if err == nil {
			_, err = host.CreateWorld(folder, host.NewWorld{Name: host.DefaultWorld, Seed: cfg.Seed, Mode: cfg.Mode, Genesis: c.authority.Genesis()})
		}
		if err != nil {
			c.Fatal(err)
		}
	} else {
		cfg.Join = []string{c.hosts[0].NodeAddr().String(), c.hosts[len(c.hosts)-1].NodeAddr().String()}
	}
	ring, err := keyring.Open(cfg.Data)
	if err != nil {
		c.Fatal(err)
	}
	key, err := ring.Node(0, nil)
	if err != nil {
		c.Fatal(err)
	}
	now := time.Now()
	cert, err := c.authority.Issue(key.Public(), "", now, now.Add(time.Hour))
	if err != nil {
		c.Fatal(err)
	}
	cfg.Certificate = filepath.Join(cfg.Data, "certificate.pem")
	if err := os.WriteFile(cfg.Certificate, keyring.CertificateText(cert), 0o644); err != nil {
		c.Fatal(err)
	}
	cfg.Revocations = filepath.Join(cfg.Data, "revoked.pem")
	if err := os.WriteFile(cfg.Revocations, c.unrevoked, 0o644); err != nil {
		c.Fatal(err)
	}
	if c.log != nil {
		cfg.Log = slog.New(slog.NewTextHandler(c.log, nil))
	}
	c.hosts, c.certs, c.gone, c.configs = append(c.hosts, start(c.T, cfg)), append(c.certs, cert), append(c.gone, false), append(c.configs, cfg)
	c.keys = append(c.keys, key.Private)
}

// wrong says which nodes are not stable with exactly the neighbours that the
// Delaunay graph of the issued positions gives them.
func (c *verifiedCluster) wrong() (out []string) {
	var live []geom.Point
	for i, cert := range c.certs {
		if !c.gone[i] {
			live = append(live, cert.Pos)
		}
	}
	for i, h := range c.hosts {
		if c.gone[i] {
			continue
		}
		s, err := h.Stats(context.Background())
		if err != nil || s.Place == nil {
			c.Fatalf("node %d: %v, place %v", i, err, s.Place)
		}
		want, got := map[geom.Point]bool{}, map[geom.Point]bool{}
		for _, k := range geom.Star(c.certs[i].Pos, live, nil) {
			want[live[k]] = true
		}
		for _, n := range s.Place.Neighbours {
			got[n.Pos] = true
		}
		if fmt.Sprint(want) != fmt.Sprint(got) || !s.Place.Stable || s.Place.Pos != c.certs[i].Pos {
			out = append(out, fmt.Sprintf("node %d: stable %v, neighbours %v instead of %v", i, s.Place.Stable, got, want))
		}
	}
	return out
}

func (c *verifiedCluster) exact(what string) {
	c.Helper()
	begin := time.Now()
	for wrong := c.wrong(); len(wrong) > 0; wrong = c.wrong() {
		if time.Since(begin) > 2*time.Minute {
			c.Fatalf("%s: the neighbourhoods are wrong for two minutes:\n%s", what, strings.Join(wrong, "\n"))
		}
		time.Sleep(100 * time.Millisecond)
	}
	c.Logf("%s: exact after %v", what, time.Since(begin).Round(100*time.Millisecond))
}

// page is a node's status as a browser sees it.
func (c *verifiedCluster) page(i int) string {
	c.Helper()
	req, err := http.NewRequest("GET", c.hosts[i].URL()+"status", nil)
	if err != nil {
		c.Fatal(err)
	}
	req.Header.Set("Accept", "text/html")
	req.SetBasicAuth("", string(c.hosts[i].Local()))
	r, err := http.DefaultClient.Do(req)
	if err != nil {
		c.Fatal(err)
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		c.Fatal(err)
	}
	return string(b)
}

// TestVerifiedWorld: nodes with certificates of the authority form the Delaunay
// graph of the issued positions over real sockets. One falls silent: the others
// close the gap. One is revoked, which one node is told by a file: all hear of
// it, cut it off and close the gap. Status and the map show the cells.
func TestVerifiedWorld(t *testing.T) {
	slowtest.Skip(t, "takes longer than five seconds")
	c := newVerifiedCluster(t, 8)
	c.exact("eight nodes")

	s, err := host.Ask(context.Background(), c.hosts[2].URL(), c.hosts[2].Local())
	if err != nil {
		t.Fatal(err)
	}
	if o := s.Hosting.Overlay; o == nil || !o.Stable || len(o.Cell) < 3 || len(o.Neighbours) == 0 || len(o.Neighbours[0].Cell) < 3 {
		t.Errorf("the status shows %+v", s.Hosting.Overlay)
	}
	if page := c.page(2); !strings.Contains(page, "place in the overlay") || !strings.Contains(page, s.Hosting.Overlay.Neighbours[0].Node) {
		t.Errorf("the status page shows no neighbours:\n%s", page)
	}
	if err := c.hosts[3].Silence(); err != nil {
		t.Fatal(err)
	}
	c.gone[3] = true
	c.exact("one is silent")

	list, err := c.authority.Revoke(time.Now(), c.certs[5].Serial)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(c.configs[7].Revocations, keyring.RevocationsText(list), 0o644); err != nil {
		t.Fatal(err)
	}
	c.gone[5] = true
	until(t, "all to have the list", func() bool {
		for i, h := range c.hosts {
			if s, err := h.Stats(context.Background()); i != 3 && (err != nil || s.Place.Revoked != list.Version) {
				return false
			}
		}
		return true
	})
	c.exact("one is revoked")
	for i, h := range c.hosts {
		s, err := h.Stats(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range s.Linked {
			if !c.gone[i] && p.ID == c.certs[5].ID() {
				t.Errorf("node %d has a link to the one that is revoked", i)
			}
		}
	}
	c.add() // joins by the first node, and knows the list by it
	c.exact("another one has come")
	if s, err := c.hosts[8].Stats(context.Background()); err != nil || s.Place.Revoked != list.Version {
		t.Errorf("the newcomer does not know the list: %v, %+v", err, s.Place)
	}
}

// TestCertificates: what is no certificate for this node and world is refused at
// the start, and who has none is let in nowhere.
func TestCertificates(t *testing.T) {
	c := newVerifiedCluster(t, 1)
	mine := c.configs[0]
	mine.Data, mine.Join = t.TempDir(), []string{c.hosts[0].NodeAddr().String()}
	if _, err := host.Start(mine); err == nil || !strings.Contains(err.Error(), mine.Certificate) {
		t.Errorf("with another node's certificate: %v", err)
	}
	mine.Certificate = ""
	outsider := start(t, mine)
	s, err := outsider.Stats(context.Background())
	if err != nil || s.Place != nil || len(s.Linked) != 0 {
		t.Errorf("without a certificate: %v, %+v", err, s)
	}
}

// TestNewCertificate: a certificate that is put in the place of the old one is
// taken while the node runs; one that is not for it is refused, and said to be.
func TestNewCertificate(t *testing.T) {
	slowtest.Skip(t, "takes seconds")
	c := newVerifiedCluster(t, 0)
	c.log = &lines{}
	c.add()
	c.add()
	c.exact("two nodes")
	put := func(key ed25519.PublicKey) *ident.Certificate {
		cert, err := c.authority.Issue(key, "", time.Now(), time.Now().Add(2*time.Hour))
		if err == nil {
			err = os.WriteFile(c.configs[0].Certificate, keyring.CertificateText(cert), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
		return cert
	}
	stranger, _, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	put(stranger)
	until(t, "another node's certificate to be refused", func() bool { return c.log.has("not for this one") })
	fresh := put(c.keys[0].Public().(ed25519.PublicKey))
	until(t, "the new certificate to be taken", func() bool {
		return c.log.has(fmt.Sprintf("certificate %d now, instead of %d", fresh.Serial, c.certs[0].Serial))
	})
	c.add() // by the first, which shows it
	c.exact("three nodes")
}

// TestEvidence: signed false views are written down, and who has sent more than
// the court allows is named to the people; a view that somebody else has signed
// is written down and counts for nothing.
func TestEvidence(t *testing.T) {
	c := newVerifiedCluster(t, 0)
	c.log = &lines{}
	c.add()
	c.add()
	c.exact("two nodes")
	accuse := func(stamp int, key ed25519.PrivateKey) {
		ghost := &overlay.Contact{ID: id.ID{1}, Pos: geom.Point{X: 1, Y: 1}}
		v := &overlay.NetworkView{
			Source: &overlay.Contact{ID: c.certs[1].ID(), Pos: c.certs[1].Pos}, Stamp: machine.Time(stamp), Neighbours: []*overlay.Contact{ghost},
		}
		v.Sign(c.authority.World(), key)
		c.hosts[0].Accuse(overlay.Evidence{Accusation: overlay.Absent, View: v, Node: ghost, Seen: machine.Time(time.Now().UnixNano())})
	}
	written := func(n int) {
		until(t, "the evidence to be written", func() bool {
			b, err := os.ReadFile(filepath.Join(c.hosts[0].Dir(), "evidence.jsonl"))
			return err == nil && strings.Count(string(b), "\"charge\":\"absent\"") == n
		})
	}
	for k := range 25 {
		accuse(k, c.keys[0])
	}
	written(25)
	if c.log.has("ask the authority") {
		t.Error("views that the node has not signed count against it")
	}
	for k := range 25 {
		accuse(k, c.keys[1])
	}
	written(50)
	until(t, "the node to be named", func() bool {
		return c.log.has("ask the authority") && c.log.has(fmt.Sprintf("node=%s certificate=%d", c.certs[1].ID(), c.certs[1].Serial))
	})
}
