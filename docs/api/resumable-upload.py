import base64
import hashlib
from pathlib import Path
from urllib.parse import urljoin

path, part_size = Path(os.environ["FILE"]), 8 * 1024**2
tus = {"Tus-Resumable": "1.0.0"}
number = session.post(f"{filing}/submissions").json()["id"]["sequenceNumber"]
uploads = f"{filing}/submissions/{number}/uploads"
length, name = path.stat().st_size, base64.b64encode(path.name.encode()).decode()
about = {"Upload-Length": str(length), "Upload-Metadata": f"filename {name}"}
answer = session.post(uploads, headers={**tus, **about})
answer.raise_for_status()
upload = urljoin(uploads, answer.headers["Location"])

# After a break, run this part again: it goes on where the upload stopped.
offset = int(session.head(upload, headers=tus).headers["Upload-Offset"])
with path.open("rb") as file:
    file.seek(offset)
    while part := file.read(part_size):
        checksum = base64.b64encode(hashlib.sha256(part).digest()).decode()
        headers = {
            "Content-Type": "application/offset+octet-stream",
            "Upload-Offset": str(offset),
            "Upload-Checksum": f"sha256 {checksum}",
        }
        answer = session.patch(upload, data=part, headers={**tus, **headers})
        answer.raise_for_status()
        offset = int(answer.headers["Upload-Offset"])
print(offset, "of", length, "bytes")
