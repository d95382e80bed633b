package http

import (
	"net"
	nethttp "net/http"

	"github.com/gin-gonic/gin"
	"github.com/prometheus/client_golang/prometheus"
)

// transportSecurity has a browser that has come over TLS come over nothing else for a year.
const transportSecurity = "max-age=31536000"

// serveOn serves what ln accepts, over TLS if there are certificates.
func (s *Server) serveOn(srv *nethttp.Server, ln net.Listener) error {
	if s.cfg.TLS == nil {
		return srv.Serve(ln)
	}
	srv.TLSConfig = s.cfg.TLS.TLS()
	return srv.ServeTLS(ln, "", "")
}

// demandTLS has browsers call this server by TLS from now on, when they have. They heed it
// for names alone; those of this machine belong to other programs too, and a proxy that ends
// TLS says it itself.
func demandTLS(c *gin.Context) {
	if c.Request.TLS != nil && !ofLoopback(c.Request.Host) {
		c.Writer.Header().Set("Strict-Transport-Security", transportSecurity)
	}
}

// beneath returns the connection that a connection over TLS goes through, or that itself.
func beneath(c net.Conn) net.Conn {
	if over, ok := c.(interface{ NetConn() net.Conn }); ok {
		return over.NetConn()
	}
	return c
}

// certificateCollector shows how long certificates are valid.
type certificateCollector struct{ of Certificates }

var (
	certificateDesc = prometheus.NewDesc("kappa_tls_certificate_expiry_timestamp_seconds", "When a certificate of this server ends, by its first name.", []string{"name"}, nil)
	failuresDesc    = prometheus.NewDesc("kappa_tls_certificate_failures_total", "Times that a newer certificate could not be read or had.", nil, nil)
)

// Describe implements prometheus.Collector.
func (certificateCollector) Describe(out chan<- *prometheus.Desc) {
	out <- certificateDesc
	out <- failuresDesc
}

// Collect implements prometheus.Collector.
func (c certificateCollector) Collect(out chan<- prometheus.Metric) {
	out <- prometheus.MustNewConstMetric(failuresDesc, prometheus.CounterValue, float64(c.of.Failures()))
	seen := map[string]bool{}
	for _, one := range c.of.List() {
		if one.Until == nil || len(one.Names) == 0 || seen[one.Names[0]] {
			continue
		}
		seen[one.Names[0]] = true
		out <- prometheus.MustNewConstMetric(certificateDesc, prometheus.GaugeValue, float64(one.Until.Unix()), one.Names[0])
	}
}
