package kademlia

// Sizes on the wire in bytes, for simulations: as package codec writes the
// messages when addresses are IPv4.
const (
	sizeHead    = 10 // RPC, procedure, code or flags
	sizeContact = 27
	sizeRecord  = 145 // without the payload
)

// Size implements sim.Sizer.
func (r *Request) Size() int { return sizeHead + 21 + sizeOfRecord(r.Record) }

// Size implements sim.Sizer.
func (r *Reply) Size() int {
	return sizeHead + 2 + sizeContact*len(r.Contacts) + sizeOfRecord(r.Record)
}

func sizeOfRecord(r *Record) int {
	if r == nil {
		return 0
	}
	return sizeRecord + len(r.Payload)
}
