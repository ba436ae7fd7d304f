// Package datachanneltest is a browser's end of data channels, for tests and
// experiments: it does what Chromium does with the answer that a page makes up.
package datachanneltest

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"time"

	"github.com/pion/dtls/v3"
	"github.com/pion/logging"
	"github.com/pion/sctp"
	"github.com/pion/stun/v4"

	"github.com/voxelpopuli/voxelpopuli/internal/net/datachannel"
	"github.com/voxelpopuli/voxelpopuli/internal/net/transport/socket"
)

// Client is a browser that has dialled a node.
type Client struct {
	Ufrag   string // of the node's side
	Streams [2]*sctp.Stream

	path  *path
	dtls  *dtls.Conn
	Assoc *sctp.Association
}

var quiet = &logging.DefaultLoggerFactory{Writer: io.Discard, DefaultLogLevel: logging.LogLevelDisabled}

// NewUfrag draws a fragment of the side of a node.
func NewUfrag(node datachannel.Fingerprint) string {
	var b [18]byte
	rand.Read(b[:])
	return socket.BrowserUfrag + node.Name() + base64.RawStdEncoding.EncodeToString(b[:])
}

// Check is an ICE check for the node's side, as Chromium sends it.
func Check(ufrag string) []byte {
	return stun.MustBuild(stun.TransactionID, stun.BindingRequest, stun.NewUsername(ufrag+":abcd"),
		stun.RawAttribute{Type: stun.AttrICEControlling, Value: make([]byte, 8)},
		stun.RawAttribute{Type: stun.AttrUseCandidate},
		stun.RawAttribute{Type: stun.AttrPriority, Value: []byte{0x7e, 0, 0, 1}},
		stun.NewShortTermIntegrity(ufrag), stun.Fingerprint).Raw
}

// Dial opens the channels to a node over a packet connection, which the client closes.
func Dial(ctx context.Context, conn net.PacketConn, to netip.AddrPort, fingerprint datachannel.Fingerprint) (*Client, error) {
	c := &Client{Ufrag: NewUfrag(fingerprint), path: &path{PacketConn: conn, to: net.UDPAddrFromAddrPort(to)}}
	if err := c.path.check(ctx, c.Ufrag); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	if err := c.secure(ctx, fingerprint); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	if err := c.associate(ctx); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

func (c *Client) secure(ctx context.Context, fingerprint datachannel.Fingerprint) (err error) {
	verify := func(raw [][]byte, _ [][]*x509.Certificate) error {
		if len(raw) != 1 || sha256.Sum256(raw[0]) != fingerprint {
			return errors.New("the node has another certificate than the link says")
		}
		return nil
	}
	c.dtls, err = dtls.ClientWithOptions(c.path, c.path.to, dtls.WithInsecureSkipVerify(true), dtls.WithVerifyPeerCertificate(verify),
		dtls.WithSRTPProtectionProfiles(dtls.SRTP_AEAD_AES_128_GCM), dtls.WithLoggerFactory(quiet)) // as Chromium does
	if err != nil {
		return err
	}
	if err := c.dtls.HandshakeContext(ctx); err != nil {
		return fmt.Errorf("DTLS: %w", err)
	}
	return nil
}

func (c *Client) associate(ctx context.Context) (err error) {
	c.Assoc, err = sctp.ClientContext(ctx, sctp.WithNetConn(c.dtls), sctp.WithLoggerFactory(quiet), sctp.WithMTU(1191))
	if err != nil {
		return fmt.Errorf("SCTP: %w", err)
	}
	for n := range c.Streams {
		if c.Streams[n], err = c.Assoc.OpenStream(uint16(n), sctp.PayloadTypeWebRTCBinary); err != nil {
			return err
		}
	}
	c.Streams[datachannel.Unreliable].SetReliabilityParams(true, sctp.ReliabilityTypeRexmit, 1)
	return nil
}

// Send sends a binary message.
func (c *Client) Send(ch datachannel.Channel, b []byte) error {
	_, err := c.Streams[ch].WriteSCTP(b, sctp.PayloadTypeWebRTCBinary)
	return err
}

// SendText sends a text.
func (c *Client) SendText(text string) error {
	_, err := c.Streams[datachannel.Reliable].WriteSCTP([]byte(text), sctp.PayloadTypeWebRTCString)
	return err
}

// Recv returns the next message of a channel.
func (c *Client) Recv(ch datachannel.Channel) (b []byte, text bool, err error) {
	b = make([]byte, 256<<10)
	n, kind, err := c.Streams[ch].ReadSCTP(b)
	return b[:n], kind == sctp.PayloadTypeWebRTCString, err
}

// Check sends one more check, as browsers do while they are there.
func (c *Client) Check() error {
	_, err := c.path.WriteTo(Check(c.Ufrag), nil)
	return err
}

// Close ends the connection without a word, as a browser that is killed.
func (c *Client) Close() error { return c.path.Close() }

// path is the connection to one node; checks are answered before DTLS begins, and
// answers to later ones are left out.
type path struct {
	net.PacketConn
	to net.Addr
}

// check repeats a check until it is answered.
func (p *path) check(ctx context.Context, ufrag string) error {
	b := make([]byte, 1500)
	for ctx.Err() == nil {
		if _, err := p.PacketConn.WriteTo(Check(ufrag), p.to); err != nil {
			return err
		}
		_ = p.SetReadDeadline(time.Now().Add(200 * time.Millisecond))
		n, _, err := p.PacketConn.ReadFrom(b)
		if errors.Is(err, os.ErrDeadlineExceeded) {
			continue
		}
		if err != nil {
			return err
		}
		m := stun.Message{Raw: b[:n]}
		if m.Decode() == nil && m.Type == stun.BindingSuccess && stun.NewShortTermIntegrity(ufrag).Check(&m) == nil {
			return p.SetReadDeadline(time.Time{})
		}
	}
	return fmt.Errorf("no check was answered: %w", ctx.Err())
}

func (p *path) ReadFrom(b []byte) (int, net.Addr, error) {
	for {
		n, from, err := p.PacketConn.ReadFrom(b)
		if err != nil || !stun.IsMessage(b[:n]) {
			return n, from, err
		}
	}
}

func (p *path) WriteTo(b []byte, _ net.Addr) (int, error) { return p.PacketConn.WriteTo(b, p.to) }
