package codec

import (
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/verifiedworld"
	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/identity"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
)

// Messages of internal/verified/overlay, and those of internal/cluster/node that go with it.

const (
	minContact = minPeer + 2
	// maxRevocations is the length of the longest list of revocations.
	maxRevocations = identity.MaxRevoked*8 + 128
)

var overlayKinds = []*kind{
	message(120, func(f *form, m *overlay.Hello) { f.certificate(&m.Certificate) }),
	message(121, func(f *form, m *overlay.NetworkView) {
		maybeContact(f, &m.Source)
		list(f, &m.Neighbours, overlay.MaxNamed, minContact, contact)
		f.bool(&m.Ask)
		signed(f, &m.Stamp)
		f.bytes(&m.Signature, overlay.MaxSignature)
	}),
	message(122, func(f *form, m *overlay.ConnectionInfo) { f.bool(&m.Wanted) }),
	message(123, func(f *form, m *overlay.JoinRequest) { path(f, &m.Route) }),
	message(124, func(f *form, m *overlay.RtRequest) { path(f, &m.Route); f.bool(&m.Handed) }),
	message(125, func(f *form, m *overlay.RtResponse) { maybeContact(f, &m.From); f.point(&m.Target) }),
	message(126, func(f *form, m *overlay.RtHint) { maybeContact(f, &m.Node) }),
	message(127, func(f *form, m *overlay.Unicast) { path(f, &m.Route); f.message(&m.Body) }),
	message(128, func(f *form, m *overlay.Areacast) {
		path(f, &m.Route)
		f.point(&m.Area.Circle.C)
		signed(f, &m.Area.Circle.R)
		list(f, (*[]geom.Point)(&m.Area.Polygon), overlay.MaxCorners, 2, func(f *form, p *geom.Point) { f.point(p) })
		maybeContact(f, &m.Root)
		f.point(&m.Anchor)
		f.message(&m.Body)
	}),
	message(130, func(f *form, m *verifiedworld.OverlayShare) { f.bool(&m.On) }),
	message(131, func(f *form, m *verifiedworld.Revoked) { num(f, &m.Version); f.bytes(&m.List, maxRevocations) }),
	message(132, func(f *form, m *verifiedworld.BootstrapQuery) { f.fixed64(&m.Nonce) }),
	message(133, func(f *form, m *verifiedworld.BootstrapReply) {
		f.fixed64(&m.Nonce)
		maybeContact(f, &m.Self)
		list(f, &m.Known, verifiedworld.MaxPlaces, minContact, contact)
	}),
	message(134, func(f *form, m *verifiedworld.Renewed) { f.certificate(&m.Certificate) }),
}

// path is the head of a routed message.
func path(f *form, r *overlay.Route) {
	maybeContact(f, &r.Origin)
	num(f, &r.Seq)
	f.point(&r.Dest)
	f.point(&r.Via)
	f.bool(&r.HasVia)
	num(f, &r.Hops)
}

func (f *form) point(v *geom.Point) { signed(f, &v.X); signed(f, &v.Y) }

// contact is a node with its place; there is one.
func contact(f *form, v **overlay.Contact) {
	c := *v
	if f.reading {
		c = new(overlay.Contact)
		*v = c
	} else if c == nil {
		f.fail("a contact is missing")
		return
	}
	f.id(&c.ID)
	f.addr(&c.Addr)
	f.point(&c.Pos)
}

// maybeContact is one that may be missing.
func maybeContact(f *form, v **overlay.Contact) {
	has := *v != nil
	if f.bool(&has); has {
		contact(f, v)
	}
}

// certificate is one in its own encoding (docs/formats/identity.md), or none.
func (f *form) certificate(v **identity.Certificate) {
	has := *v != nil
	if f.bool(&has); !has {
		return
	}
	if !f.reading {
		f.b = (*v).Append(f.b)
		return
	}
	b := f.take(identity.CertificateSize)
	if b == nil {
		return
	}
	c, err := identity.DecodeCertificate(b)
	if err != nil {
		f.fail("%v", err)
		return
	}
	*v = c
}
