package transport

import (
	"crypto/tls"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/quic-go/quic-go"

	"github.com/voxelpopuli/voxelpopuli/internal/net/transport/session"
)

// What both ends of a link must speak is TLS's to agree on (ALPN): protocol and
// a version. Nodes of another version get as far as to be told so: who dials
// offers the older ones as well, and who is dialled takes whatever is offered.
// The newer end says what is wrong.
const protocol = "voxelpopuli/"

var errProtocol = errors.New("the other end does not speak the protocol between nodes")

// offered are the protocols that a dialler names, ours first.
func offered() (all []string) {
	for v := session.Version; v > 0; v-- {
		all = append(all, protocol+strconv.Itoa(v))
	}
	return all
}

// answering is the configuration for who offers what h says.
func (i identity) answering(h *tls.ClientHelloInfo) (*tls.Config, error) {
	if slices.Contains(h.SupportedProtos, i.server.NextProtos[0]) {
		return nil, nil // as it is
	}
	for _, p := range h.SupportedProtos {
		if strings.HasPrefix(p, protocol) { // to tell it
			c := i.client.Clone()
			c.NextProtos = []string{p}
			return c, nil
		}
	}
	return nil, nil
}

// spoken is an error if a connection's ends are of different versions.
func spoken(q *quic.Conn) error {
	v, err := strconv.ParseUint(strings.TrimPrefix(q.ConnectionState().TLS.NegotiatedProtocol, protocol), 10, 8)
	if err != nil {
		return errProtocol
	}
	if v != session.Version {
		return refusal{codeVersion, session.OtherVersion(v)}
	}
	return nil
}

// toldVersion is err, or in words of ours what the other end has said of our
// version.
func toldVersion(err error) error {
	var a *quic.ApplicationError
	if errors.As(err, &a) && a.Remote && a.ErrorCode == codeVersion {
		return refusal{codeVersion, fmt.Errorf("the node there says: %s", a.ErrorMessage)}
	}
	return err
}

// versionEvery is how often the person who runs the node is told that there are
// others of another version: they try again and again.
const versionEvery = time.Minute

// say logs what became of an attempt to talk to somebody.
func (n *network) say(what string, err error, args ...any) {
	args = append(args, "error", err)
	var v session.OtherVersion
	var r refusal
	if !errors.As(err, &v) && (!errors.As(err, &r) || r.code != codeVersion) {
		n.l.log.Info(what, args...)
		return
	}
	now := time.Now().UnixNano()
	if last := n.warned.Load(); (last == 0 || now-last > int64(versionEvery)) && n.warned.CompareAndSwap(last, now) {
		n.l.log.Warn(what, args...)
	}
}
