package llm

import "net/http"

// keySource returns the key of a provider as it is now; nil has none.
type keySource func() (string, error)

// as returns what puts the key into a header.
func (k keySource) as(header, prefix string) signature { return signature{k, header, prefix} }

// signature puts the key of a provider into its requests.
type signature struct {
	key            keySource
	header, prefix string
}

// sign returns a copy of a header with the key in it, and what no text may show of it.
func (s signature) sign(header http.Header) (http.Header, secrets, error) {
	signed := header.Clone()
	if s.key == nil {
		return signed, nil, nil
	}
	key, err := s.key()
	if err != nil || key == "" {
		return signed, nil, err
	}
	signed.Set(s.header, s.prefix+key)
	return signed, secrets{key}, nil
}
