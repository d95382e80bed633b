package access

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
)

// ServerProof returns what a server answers to a nonce, to prove that it knows a
// key. The address is the one that the client called: an answer of another server
// with the same key is worth nothing.
func ServerProof(key, address, nonce string) string {
	mac := hmac.New(sha256.New, []byte(key))
	mac.Write([]byte("kappa server\n" + address + "\n" + nonce))
	return hex.EncodeToString(mac.Sum(nil))
}

// IsNonce reports whether s can be a nonce of ServerProof: 32 to 128 letters and
// digits.
func IsNonce(s string) bool {
	for _, r := range s {
		if (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') {
			return false
		}
	}
	return len(s) >= 32 && len(s) <= 128
}
