/** What can go wrong in a TLS handshake, by the codes of Node and OpenSSL, with the remedy. */

const UNTRUSTED =
  "the broker's certificate comes from an authority that is not trusted here. Put that authority's certificate into `tls.ca`.";

const REMEDIES: Record<string, string> = {
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  DEPTH_ZERO_SELF_SIGNED_CERT:
    "the broker's certificate is self-signed and not trusted here. Put it, or better its authority, into `tls.ca`.",
  UNABLE_TO_GET_ISSUER_CERT:
    "the chain of the broker's certificate is incomplete. Put the authorities above it into `tls.ca`.",
  CERT_SIGNATURE_FAILURE:
    "the broker's certificate was not signed by the authority in `tls.ca`. Check that it is this cluster's authority.",
  CERT_HAS_EXPIRED: "the broker's certificate has expired. Renew it on the broker: Keyfold does not look past it.",
  CERT_NOT_YET_VALID: "the broker's certificate is not valid yet. Check the clocks of the broker and of this machine.",
  CERT_REVOKED: "the broker's certificate was revoked. Renew it on the broker.",
  ERR_TLS_CERT_ALTNAME_INVALID:
    "the broker's certificate does not hold the name that was connected to. Connect by a name that it holds, or set `tls.serverName`.",
  ERR_OSSL_X509_KEY_VALUES_MISMATCH: "`tls.key` does not belong to `tls.cert`. Check that they are a pair.",
  ERR_OSSL_PEM_NO_START_LINE:
    "`tls.ca`, `tls.cert` or `tls.key` is no PEM. Convert it (`openssl x509`, `openssl pkey`).",
  ERR_OSSL_BAD_DECRYPT: "`tls.key` is encrypted and `tls.passphrase` does not open it. Check the passphrase.",
  ERR_OSSL_CRYPTO_INTERRUPTED_OR_CANCELLED: "`tls.key` is encrypted. Set `tls.passphrase`.",
  ERR_SSL_WRONG_VERSION_NUMBER:
    "the port does not speak TLS. Use the broker's TLS port, or take the `tls` section away.",
  ERR_SSL_PACKET_LENGTH_TOO_LONG:
    "the port does not speak TLS. Use the broker's TLS port, or take the `tls` section away.",
  ERR_SSL_NO_PROTOCOLS_AVAILABLE: "there is no TLS version that both sides accept. Allow TLS 1.2 or 1.3 on the broker.",
};

const CLIENT_CERTIFICATE = "Set `tls.cert` and `tls.key` to a pair that the broker's truststore accepts.";

/** Alerts that the broker sends about the client's certificate come under names that differ between TLS versions. */
const ALERTS: readonly (readonly [RegExp, string])[] = [
  [/ALERT_CERTIFICATE_REQUIRED/, `the broker requires a client certificate and got none. ${CLIENT_CERTIFICATE}`],
  [/ALERT_CERTIFICATE_EXPIRED/, "the client certificate has expired. Renew `tls.cert`."],
  [/ALERT_UNKNOWN_CA/, `the broker does not trust the authority of the client certificate. ${CLIENT_CERTIFICATE}`],
  [
    /ALERT_(BAD_CERTIFICATE|CERTIFICATE_UNKNOWN|UNSUPPORTED_CERTIFICATE|ACCESS_DENIED)/,
    `the broker did not accept the client certificate, or requires one and got none. ${CLIENT_CERTIFICATE}`,
  ],
  [
    /ALERT_HANDSHAKE_FAILURE/,
    `the broker found no TLS version or cipher in common, or requires a client certificate. ${CLIENT_CERTIFICATE}`,
  ],
  [/ALERT_PROTOCOL_VERSION/, "the broker does not accept this TLS version. Allow TLS 1.2 or 1.3 on the broker."],
];

/** The cause and its remedy, or null where the code is none of TLS. */
export function explainTlsCode(code: string): string | null {
  const remedy = REMEDIES[code];
  if (remedy !== undefined) return remedy;
  const alert = ALERTS.find(([pattern]) => pattern.test(code));
  if (alert) return alert[1];
  return /^ERR_(SSL|TLS|OSSL)_|^EPROTO$/.test(code)
    ? `the handshake ended with ${code}. Check the \`tls\` section.`
    : null;
}
