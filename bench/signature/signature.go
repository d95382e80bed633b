// Package signature has the signatures of embeddings in the form in which PostgreSQL
// takes them.
package signature

import (
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/kappagraph/kappa/corpus/models"
)

// Bits returns a signature as bit(768).
func Bits(s models.Signature) pgtype.Bits {
	b := pgtype.Bits{Bytes: make([]byte, models.SignatureBits/8), Len: models.SignatureBits, Valid: true}
	for i := range b.Bytes {
		b.Bytes[i] = byte(s[i/8] >> (i % 8 * 8))
	}
	return b
}
