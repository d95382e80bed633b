package access

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"fmt"
)

// ServerProof returns what a server answers to a nonce, to prove that it knows a
// key. The address is the one that the client called: an answer of another server
// with the same key is worth nothing.
func ServerProof(key, address, nonce string) string {
	mac := hmac.New(sha256.New, []byte(key))
	mac.Write([]byte("kappa server\n" + address + "\n" + nonce))
	return hex.EncodeToString(mac.Sum(nil))
}

// ChannelNonce returns what stands for a nonce in a proof over TLS: the nonce with what only
// the two ends of the connection know (RFC 9266). So the proof says that nobody is
// between them, whoever has signed the certificate.
func ChannelNonce(connection tls.ConnectionState, nonce string) (string, error) {
	known, err := connection.ExportKeyingMaterial("EXPORTER-Channel-Binding", nil, 32)
	if err != nil {
		return "", fmt.Errorf("bind the proof of a server to its connection: %w", err)
	}
	return nonce + "\n" + hex.EncodeToString(known), nil
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
