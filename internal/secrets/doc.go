// Package secrets encrypts what is kept in the database and must not be read there: the
// keys of providers of models, and the secrets of webhooks.
//
// What a caller may rely on: AES-256-GCM with a nonce of its own for each sealing; what was
// sealed for one row cannot be opened for another; the key is in a file of mode 0600 and
// nowhere else; a file is made only when something is sealed for the first time, and
// replaced as a whole or not at all. No error shows a key.
package secrets
