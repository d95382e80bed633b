package pgembed

import (
	"crypto/hmac"
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
)

const (
	scramSaltBytes = 16
	// scramIterations makes guesses expensive where a password can be guessed. This
	// one cannot, and each connection would pay for them.
	scramIterations = 1
)

// verifier returns what PostgreSQL keeps of the password: with it a client is
// checked, and with it nobody gets in. PostgreSQL takes it in place of a
// password, so no program of it is ever given the password itself.
func (s secret) verifier() (string, error) {
	salt := make([]byte, scramSaltBytes)
	rand.Read(salt)
	salted, err := pbkdf2.Key(sha256.New, string(s), salt, scramIterations, sha256.Size)
	if err != nil {
		return "", fmt.Errorf("derive what is kept of a password: %w", err)
	}
	stored := sha256.Sum256(mac(salted, "Client Key"))
	text := base64.StdEncoding.EncodeToString
	return fmt.Sprintf("SCRAM-SHA-256$%d:%s$%s:%s", scramIterations, text(salt), text(stored[:]), text(mac(salted, "Server Key"))), nil
}

func mac(key []byte, text string) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(text))
	return h.Sum(nil)
}
