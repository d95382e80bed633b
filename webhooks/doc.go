// Package webhooks is what other programs are told of: which events there are, to which
// addresses they are sent, how a delivery is signed, and when it is tried again. It follows the
// specification of Standard Webhooks.
package webhooks
