// Package otlp records spans and sends them to a collector of OpenTelemetry, as the standard
// variables OTEL_… say, over gRPC or HTTP. What a span is and what it is named, package
// tracing says.
//
// Who records never waits: spans are handed over through a queue of 2,048, which is emptied
// in batches at least every five seconds; what does not fit is dropped. A collector that is
// down, slow or refuses changes nothing but the spans, and is said once in the log, and once
// more when it takes spans again.
package otlp
