// Package certificates keeps the certificate that a server shows over TLS.
//
// It comes from files, which are read again when they change ([Files]), or from an
// authority that is asked by ACME ([ACME]). What a caller may rely on: a certificate that was
// good once is shown until a newer one is good, whatever the files or the authority
// say meanwhile; connections that are open are not touched; no error shows a key.
package certificates
