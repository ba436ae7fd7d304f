package decision

import (
	"bytes"
	"crypto/ed25519"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/identity"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
)

// Errors.
var (
	ErrFormat    = errors.New("malformed statement")
	ErrWorld     = errors.New("the statement is about another world")
	ErrSignature = errors.New("the statement's signature is wrong")
	ErrAuthority = errors.New("the issuer of the statement has no authority for it")
	ErrTime      = errors.New("the statement is from the future")
	ErrOld       = errors.New("a newer statement of the same issuer is known")
	ErrFull      = errors.New("the log is full")
)

// Topic is what a statement is about. Numbers without a name here are kept,
// ordered and spread like the others, so that other packages can use them.
type Topic uint8

// The topics that this package interprets.
const (
	Operator  Topic = iota + 1 // On: the subject, a player, is an operator
	Ban                        // On: the subject, a player, may not enter
	Listed                     // On: the subject, a player, is on the whitelist
	Whitelist                  // On: only the whitelist may enter; no subject
	Time                       // Text: the time of day at the time of issue; no subject
)

// More topics; 6 is AddressBan.
const (
	Appoint Topic = iota + 7 // On: the subject, a player, has the role named Text
	Mute                     // On: the subject, a player, says nothing to others
	Jail                     // On: the subject, a player, changes nothing and stays where it is
	Land                     // On: the subject, a player, owns land (land.go)
	Trust                    // On: the subject, a player, builds on the issuer's land
	Setting                  // On: the setting named Name is Text (setting.go)
	Warp                     // On: the place Text is called Name (setting.go)
)

// Space is the disk space in which a node keeps its log: the encodings of the
// statements by their Key.
const Space = "decisions"

// Limits.
const (
	MaxName = 160 // bytes, as in the client protocol
	MaxText = 400
	// MaxSize bounds an encoded statement.
	MaxSize = head + MaxName + MaxText + ed25519.SignatureSize

	head    = 1 + id.Size + ed25519.PublicKeySize + 8 + 1 + 1 + id.Size + 8 + 1 + 2
	version = 1
)

// signContext keeps the signature from being one of anything else.
const signContext = "voxelpopuli decision 1\n"

// Statement is a decision. Frozen once signed.
type Statement struct {
	World  id.ID
	Issuer [32]byte // Ed25519 public key
	// Seq orders what one issuer says, and what several say about one subject: the
	// time of issue in Unix milliseconds, strictly increasing for each issuer.
	Seq     uint64
	Topic   Topic
	On      bool
	Keep    bool   // Operator, off; Appoint: bans and the like issued until now still count
	Subject id.ID  // a player, a node; zero: see Name
	Until   int64  // Unix seconds; 0: without end
	Name    string // of the subject; if Subject is zero it is the subject
	Text    string // a reason, for people

	Signature [64]byte
}

// By is the id of the issuer.
func (s *Statement) By() id.ID { return id.Of(s.Issuer[:]) }

const (
	flagOn = 1 << iota
	flagKeep
)

func (s *Statement) body(b []byte) []byte {
	b = append(b, version)
	b = append(b, s.World[:]...)
	b = append(b, s.Issuer[:]...)
	b = binary.BigEndian.AppendUint64(b, s.Seq)
	flags := byte(0)
	if s.On {
		flags |= flagOn
	}
	if s.Keep {
		flags |= flagKeep
	}
	b = append(b, byte(s.Topic), flags)
	b = append(b, s.Subject[:]...)
	b = binary.BigEndian.AppendUint64(b, uint64(s.Until))
	b = append(b, byte(len(s.Name)))
	b = append(b, s.Name...)
	b = binary.BigEndian.AppendUint16(b, uint16(len(s.Text)))
	return append(b, s.Text...)
}

// SignedText is what the issuer signs.
func (s *Statement) SignedText() []byte { return s.body([]byte(signContext)) }

// Sign makes the holder of key the issuer.
func (s *Statement) Sign(key ed25519.PrivateKey) {
	copy(s.Issuer[:], key.Public().(ed25519.PublicKey))
	copy(s.Signature[:], ed25519.Sign(key, s.SignedText()))
}

// Append adds the encoding to b.
func (s *Statement) Append(b []byte) []byte { return append(s.body(b), s.Signature[:]...) }

// Decode reads a statement. Its signature is not verified.
func Decode(b []byte) (*Statement, error) {
	if len(b) < head+ed25519.SignatureSize || len(b) > MaxSize || b[0] != version {
		return nil, fmt.Errorf("%w: %d bytes", ErrFormat, len(b))
	}
	s := &Statement{World: id.ID(b[1:21]), Issuer: [32]byte(b[21:53]), Seq: binary.BigEndian.Uint64(b[53:])}
	s.Topic, s.On, s.Keep = Topic(b[61]), b[62]&flagOn != 0, b[62]&flagKeep != 0
	s.Subject, s.Until = id.ID(b[63:83]), int64(binary.BigEndian.Uint64(b[83:]))
	rest := b[92:]
	n := int(b[91])
	if n > MaxName || len(rest) < n+2 {
		return nil, fmt.Errorf("%w: the name", ErrFormat)
	}
	s.Name, rest = string(rest[:n]), rest[n:]
	n = int(binary.BigEndian.Uint16(rest))
	if rest = rest[2:]; n > MaxText || len(rest) != n+ed25519.SignatureSize {
		return nil, fmt.Errorf("%w: the text", ErrFormat)
	}
	s.Text = string(rest[:n])
	copy(s.Signature[:], rest[n:])
	if !bytes.Equal(s.Append(nil), b) {
		return nil, fmt.Errorf("%w: not in its canonical encoding", ErrFormat)
	}
	return s, s.check()
}

// check says what is wrong with the fields.
func (s *Statement) check() error {
	switch {
	case s.Topic == 0 || s.Until < 0 || s.Seq == 0:
		return fmt.Errorf("%w: a number", ErrFormat)
	case len(s.Name) > MaxName || len(s.Text) > MaxText || !utf8.ValidString(s.Name) || !utf8.ValidString(s.Text):
		return fmt.Errorf("%w: the name or the text", ErrFormat)
	case (s.Topic == Operator || s.Topic == Listed || s.Topic >= Appoint && s.Topic <= Trust) && s.Subject.IsZero():
		return fmt.Errorf("%w: it names no player", ErrFormat)
	case s.Topic == Ban && s.Subject.IsZero() && s.Name == "":
		return fmt.Errorf("%w: it bans nobody", ErrFormat)
	case s.Topic == AddressBan && !s.Subject.IsZero():
		return fmt.Errorf("%w: it bans an address and a player", ErrFormat)
	case s.Topic == Operator && s.Until != 0:
		return fmt.Errorf("%w: an operator for a time", ErrFormat)
	case s.Topic == Time && (!s.On || !s.Subject.IsZero() || s.Name != "" || s.Until != 0 || !isTime(s.Text)):
		return fmt.Errorf("%w: no time of day", ErrFormat)
	case s.Topic == Appoint && (!s.On || s.Until != 0 || !slices.Contains(Appointments, s.Text) || s.Keep && s.Text == RoleModerator.String()):
		return fmt.Errorf("%w: no role", ErrFormat)
	case s.Keep && s.Topic != Appoint && (s.Topic != Operator || s.On):
		return fmt.Errorf("%w: it keeps what it does not undo", ErrFormat)
	}
	switch s.Topic {
	case AddressBan:
		_, err := Network(s.Name)
		return err
	case Land:
		return s.checkLand()
	case Setting, Warp:
		return s.checkPublic()
	}
	return nil
}

// verify checks the signature.
func (s *Statement) verify() error {
	if identity.CheckKey(s.Issuer[:]) != nil || !ed25519.Verify(s.Issuer[:], s.SignedText(), s.Signature[:]) {
		return ErrSignature
	}
	return nil
}

// about is what a statement is about: of several about the same one counts.
type about struct {
	topic   Topic
	subject id.ID
	name    string
}

func (s *Statement) about() about { return aboutOf(s.Topic, s.Subject, s.Name) }

func aboutOf(t Topic, subject id.ID, name string) about {
	switch {
	case t == Land: // of which a player may own several
		return about{topic: t, subject: subject, name: wire.FoldName(name)}
	case !subject.IsZero():
		return about{topic: t, subject: subject}
	}
	if t == AddressBan {
		if p, err := Network(name); err == nil {
			name = p.String()
		}
	}
	return about{topic: t, name: wire.FoldName(name)}
}

// newer reports whether s counts rather than o, which is about the same.
func (s *Statement) newer(o *Statement) bool {
	if o == nil || s.Seq != o.Seq {
		return o == nil || s.Seq > o.Seq
	}
	return bytes.Compare(s.Append(nil), o.Append(nil)) > 0
}

// Over reports whether a statement has ended.
func (s *Statement) Over(now time.Time) bool { return s.Until != 0 && now.Unix() >= s.Until }

// SignedFor says why a statement is not one that its issuer has signed for a world.
func (s *Statement) SignedFor(world id.ID) error {
	if s.World != world {
		return ErrWorld
	}
	return s.verify()
}
