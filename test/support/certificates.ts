/** Certificates for tests, made on the spot with openssl. */
import { execFile } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";

const NEW_KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];

export interface IssuedCertificate {
  certPath: string;
  keyPath: string;
  /** Key and certificate in one file, as Kafka's PEM keystore wants them. */
  keystorePath: string;
}

export interface Authority {
  caPath: string;
  /** @param subjectAltName such as `IP:127.0.0.1`; `isExpired`: it ended a day ago */
  issue(name: string, options: { subjectAltName?: string; isExpired?: boolean }): Promise<IssuedCertificate>;
}

/** A certificate authority of its own in a new folder. */
export async function createAuthority(folder: string): Promise<Authority> {
  await mkdir(folder, { recursive: true });
  const run = (...args: string[]) => promisify(execFile)("openssl", args, { cwd: folder });
  await run(
    "req",
    "-x509",
    ...NEW_KEY,
    "-keyout",
    "ca.key",
    "-out",
    "ca.pem",
    "-subj",
    "/CN=test authority",
    "-days",
    "2",
  );
  return {
    caPath: path.join(folder, "ca.pem"),
    async issue(name, { subjectAltName = "IP:127.0.0.1", isExpired = false }) {
      await run("req", "-new", ...NEW_KEY, "-keyout", `${name}.key`, "-out", `${name}.csr`, "-subj", `/CN=${name}`);
      await writeFile(path.join(folder, `${name}.ext`), `subjectAltName=${subjectAltName}\n`);
      const signing = ["-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", isExpired ? "-1" : "2"];
      await run("x509", "-req", "-in", `${name}.csr`, "-out", `${name}.pem`, "-extfile", `${name}.ext`, ...signing);
      const certPath = path.join(folder, `${name}.pem`);
      const keyPath = path.join(folder, `${name}.key`);
      const keystorePath = path.join(folder, `${name}.keystore.pem`);
      await writeFile(keystorePath, (await readFile(keyPath, "utf8")) + (await readFile(certPath, "utf8")));
      return { certPath, keyPath, keystorePath };
    },
  };
}
