package session

// windowSize is how far packets may overtake each other, a multiple of 64.
const windowSize = 1024

// window remembers which numbers have come (as IPsec does, RFC 6479).
type window struct {
	next uint64 // one more than the highest that has come
	seen [windowSize / 64]uint64
}

// fresh reports whether a number has not come yet and is not too old to tell.
func (w *window) fresh(n uint64) bool {
	if n >= w.next {
		return true
	}
	if w.next-n > windowSize-64 {
		return false
	}
	return w.seen[n/64%(windowSize/64)]>>(n%64)&1 == 0
}

// note remembers a number; it must be fresh.
func (w *window) note(n uint64) {
	if n >= w.next {
		from, to := ^uint64(0), n/64 // the first word is new, too
		if w.next > 0 {
			from = (w.next - 1) / 64
		}
		for i := uint64(1); i <= min(to-from, windowSize/64); i++ {
			w.seen[(from+i)%(windowSize/64)] = 0
		}
		w.next = n + 1
	}
	w.seen[n/64%(windowSize/64)] |= 1 << (n % 64)
}
