package nattest

import (
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"regexp"
	"strings"

	"github.com/voxelpopuli/voxelpopuli/internal/net/nat"
)

const description = `<?xml version="1.0"?><root xmlns="urn:schemas-upnp-org:device-1-0"><specVersion><major>1</major><minor>0</minor></specVersion>
<device><deviceType>urn:schemas-upnp-org:device:InternetGatewayDevice:1</deviceType><serviceList>%s</serviceList></device></root>`

const service = `<service><serviceType>urn:schemas-upnp-org:service:%s</serviceType><serviceId>urn:upnp-org:serviceId:%s</serviceId>
<controlURL>/control</controlURL><eventSubURL>/e</eventSubURL><SCPDURL>/s</SCPDURL></service>`

const envelope = `<?xml version="1.0"?><s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/" s:encodingStyle="http://schemas.xmlsoap.org/soap/encoding/"><s:Body>%s</s:Body></s:Envelope>`

// device is the router's description and what it does by UPnP.
func (r *Router) device() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/desc.xml", func(w http.ResponseWriter, _ *http.Request) {
		services := fmt.Sprintf(service, "WANIPConnection:1", "WANIPConn1")
		if r.Firewall {
			services += fmt.Sprintf(service, "WANIPv6FirewallControl:1", "WANIPv6Firewall1")
		}
		fmt.Fprintf(w, description, services)
	})
	mux.HandleFunc("/control", func(w http.ResponseWriter, q *http.Request) {
		b, _ := io.ReadAll(io.LimitReader(q.Body, 1<<16))
		kind, action, _ := strings.Cut(strings.Trim(q.Header.Get("SOAPACTION"), `"`), "#")
		out, code := r.act(action, string(b))
		w.Header().Set("Content-Type", "text/xml")
		if code != 0 {
			w.WriteHeader(http.StatusInternalServerError)
			fmt.Fprintf(w, envelope, fmt.Sprintf(`<s:Fault><faultcode>s:Client</faultcode><faultstring>UPnPError</faultstring><detail><UPnPError xmlns="urn:schemas-upnp-org:control-1-0"><errorCode>%d</errorCode></UPnPError></detail></s:Fault>`, code))
			return
		}
		fmt.Fprintf(w, envelope, fmt.Sprintf(`<u:%sResponse xmlns:u="%s">%s</u:%sResponse>`, action, kind, out, action))
	})
	return mux
}

// act does what was asked; code is an error of UPnP's, 0: none.
func (r *Router) act(action, body string) (out string, code int) {
	q := Request{By: "UPnP", Port: nat.LocalPort{Protocol: nat.TCP}}
	number(body, "NewExternalPort", &q.Port.Number)
	number(body, "NewLeaseDuration", &q.Life)
	if field(body, "NewProtocol") == "UDP" {
		q.Port.Protocol = nat.UDP
	}
	var id int
	number(body, "UniqueID", &id)
	r.mu.Lock()
	defer r.mu.Unlock()
	switch action {
	case "AddPortMapping":
		switch {
		case field(body, "NewInternalClient") != "127.0.0.1":
			return "", 402
		case r.NoLeases && q.Life > 0:
			return "", 725 // OnlyPermanentLeasesSupported
		}
	case "DeletePortMapping":
	case "GetExternalIPAddress":
		return "<NewExternalIPAddress>" + Outside.String() + "</NewExternalIPAddress>", 0
	case "AddPinhole":
		if ip, err := netip.ParseAddr(field(body, "InternalClient")); err != nil || !ip.Is6() {
			return "", 402
		}
		number(body, "InternalPort", &q.Port.Number)
		number(body, "Protocol", &q.Port.Protocol)
		id = len(r.holes) + 1
		out = fmt.Sprintf("<UniqueID>%d</UniqueID>", id)
		fallthrough
	case "UpdatePinhole", "DeletePinhole":
		known, ok := r.holes[id]
		if action == "AddPinhole" {
			known = q
		} else if !ok {
			return "", 704 // NoSuchEntry
		}
		number(body, "LeaseTime", &known.Life)
		number(body, "NewLeaseTime", &known.Life)
		if r.holes[id] = known; action == "DeletePinhole" {
			delete(r.holes, id)
			known.Life = 0
		}
		q = known
		q.By = "pinhole"
	default:
		return "", 401
	}
	r.note(q)
	return out, 0
}

func field(body, name string) string {
	m := regexp.MustCompile("<" + name + ">(.*?)</" + name + ">").FindStringSubmatch(body)
	if m == nil {
		return ""
	}
	return m[1]
}

// number reads a field if it is there.
func number(body, name string, into any) { fmt.Sscan(field(body, name), into) }
