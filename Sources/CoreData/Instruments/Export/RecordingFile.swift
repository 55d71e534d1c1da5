import CoreDataRowStorage
import Foundation

/// A file that a recording is written to.
struct RecordingFile {
    private let url: URL

    init(_ url: URL) throws {
        guard url.isFileURL else {
            throw CoreDataError.make(
                CocoaError.fileWriteUnsupportedScheme.rawValue,
                description: "The recording could not be written to \(url.absoluteString).",
                reason: "The URL has the scheme \(url.scheme ?? "(none)"), and is not a file's.",
                advice: "Write to a URL made with URL(fileURLWithPath:).", userInfo: [NSURLErrorKey: url])
        }
        // A symbolic link to a file is preserved.
        if let path = realpath(url.path, nil) {
            defer { free(path) }
            self.url = URL(fileURLWithPath: String(cString: path))
        } else {
            self.url = url
        }
    }

    func write(_ body: (RecordingOutput) -> Void) throws {
        var status = stat()
        let isThere = stat(url.path, &status) == 0
        if isThere, status.st_mode & S_IFMT != S_IFREG {
            // A new file that replaced a device or a pipe would not reach its reader.
            try write(to: url.path, O_WRONLY, body)
            return
        }
        let temporary = url.deletingLastPathComponent().appendingPathComponent(".Recording-\(UUID().uuidString).tmp")
            .path
        do {
            try write(
                to: temporary, O_WRONLY | O_CREAT | O_EXCL, permissions: isThere ? status.st_mode & 0o7777 : nil, body)
            guard rename(temporary, url.path) == 0 else { throw failure(errno) }
        } catch {
            _ = unlink(temporary)
            throw error
        }
    }

    private func write(
        to path: String, _ flags: Int32, permissions: mode_t? = nil, _ body: (RecordingOutput) -> Void
    ) throws {
        let descriptor = open(path, flags | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw failure(errno) }
        let output = RecordingOutput(descriptor)
        body(output)
        var result = output.failure
        if result == 0, let permissions, fchmod(descriptor, permissions) != 0 { result = errno }
        // Some file systems report a full disk only here. Devices and pipes have nothing to synchronize.
        if result == 0, flags & O_CREAT != 0, fsync(descriptor) != 0 { result = errno }
        if close(descriptor) != 0, result == 0, errno != EINTR { result = errno }
        guard result == 0 else { throw failure(result) }
    }

    private func failure(_ number: Int32) -> NSError {
        let folder = url.deletingLastPathComponent().path
        let (code, advice): (CocoaError.Code, String?) =
            switch number {
            case ENOENT: (.fileNoSuchFile, "Make the folder \(folder) first.")
            case EACCES, EPERM:
                (.fileWriteNoPermission, "Give this process the permission to write to the folder \(folder).")
            case EROFS: (.fileWriteVolumeReadOnly, "Write to a folder of another volume.")
            case ENOSPC, EDQUOT: (.fileWriteOutOfSpace, "Free some space, or record with a smaller limit.")
            case ENAMETOOLONG: (.fileWriteInvalidFileName, "Choose a shorter name.")
            case EISDIR: (.fileWriteUnknown, "Name a file in the folder \(url.path).")
            default: (.fileWriteUnknown, nil)
            }
        return CoreDataError.make(
            code.rawValue, description: "The recording could not be written to \(url.path).",
            reason: "\(url.path): \(String(cString: strerror(number))) (\(number)).", advice: advice,
            underlying: NSError(domain: NSPOSIXErrorDomain, code: Int(number)),
            userInfo: [NSFilePathErrorKey: url.path, NSURLErrorKey: url])
    }
}
