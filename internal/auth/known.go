package auth

import "time"

const (
	knownAccounts = 4096
	knownPlaces   = 8 // of one account
)

// known remembers the addresses from which accounts have logged in, each with a bucket
// of its own. It keeps the latest addresses of the latest accounts. Only a login with
// the right password adds to it. It is not safe for concurrent use.
type known struct {
	accounts map[string]*knownAccount
}

type knownAccount struct {
	usedAt time.Time
	places []*knownPlace // the one used last is at the end
}

type knownPlace struct {
	name string
	bucket
}

func newKnown() *known { return &known{accounts: map[string]*knownAccount{}} }

// bucket returns the bucket of an account at a place, nil unless it has logged in
// there.
func (k *known) bucket(account, place string) *bucket {
	if a := k.accounts[account]; a != nil {
		for _, p := range a.places {
			if p.name == place {
				return &p.bucket
			}
		}
	}
	return nil
}

// add remembers that an account has logged in at a place.
func (k *known) add(account, place string, now time.Time) {
	a := k.accounts[account]
	if a == nil {
		if len(k.accounts) >= knownAccounts {
			k.forgetOldest()
		}
		a = &knownAccount{}
		k.accounts[account] = a
	}
	a.usedAt = now
	for i, p := range a.places {
		if p.name == place {
			a.places = append(append(a.places[:i:i], a.places[i+1:]...), p)
			return
		}
	}
	a.places = append(a.places, &knownPlace{name: place})
	if len(a.places) > knownPlaces {
		a.places = a.places[1:]
	}
}

func (k *known) forgetOldest() {
	oldest, at := "", time.Time{}
	for name, a := range k.accounts {
		if at.IsZero() || a.usedAt.Before(at) {
			oldest, at = name, a.usedAt
		}
	}
	delete(k.accounts, oldest)
}
