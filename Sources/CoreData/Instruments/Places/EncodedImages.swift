#if DEBUG && canImport(Runtime) && canImport(Glibc) && !COREDATA_WITHOUT_PLACES
import Foundation
internal import Runtime

/// Images in the format in which `Runtime.ImageMap` is encoded.
///
/// Swift's Compact ImageMap Format (`docs/CompactImageMapFormat.md` of the toolchain), version 0, with the platform's name
/// after the first byte. Paths are not compressed, and build IDs are omitted.
struct EncodedImages {
    let images: [LoadedImage]

    /// The images, for symbolication; nil if the toolchain uses another format.
    var imageMap: ImageMap? {
        guard let data = try? JSONEncoder().encode(Data(Self.bytes(of: images)).base64EncodedString()),
            let map = try? JSONDecoder().decode(ImageMap.self, from: data), map.count == images.count
        else { return nil }
        let areTheSame = zip(map, images).allSatisfy { read, image in
            read.path == image.path && UInt(read.baseAddress) == image.base && UInt(read.endOfText) == image.end
        }
        return areTheSame ? map : nil
    }

    /// Returns for each image a byte with the sizes of the numbers, its base, the distance to its end, the length of its build
    /// ID, and its path, which ends with an empty string.
    static func bytes(of images: [LoadedImage]) -> [UInt8] {
        let words: UInt8 = UInt.bitWidth == 64 ? 0b10 : 0b01
        let length = UInt8(UInt.bitWidth / 8 - 1)
        let platform = Array("Linux".utf8)
        var data = [words] + sevenBits(platform.count) + platform + sevenBits(images.count)
        for image in images {
            data.append(length << 3 | length)
            withUnsafeBytes(of: image.base.bigEndian) { data.append(contentsOf: $0) }
            withUnsafeBytes(of: (image.end - image.base).bigEndian) { data.append(contentsOf: $0) }
            data.append(0)
            var rest = Array(image.path.utf8)[...]
            while !rest.isEmpty {
                let text = rest.prefix(63)
                data.append(UInt8(text.count))
                data += text
                rest = rest.dropFirst(text.count)
            }
            data.append(0)
        }
        return data
    }

    /// Returns a number as bytes of seven bits, the highest first; all except the last have the eighth bit set.
    static func sevenBits(_ number: Int) -> [UInt8] {
        var bytes = [UInt8(number & 0x7F)]
        var rest = number >> 7
        while rest > 0 {
            bytes.insert(UInt8(rest & 0x7F) | 0x80, at: 0)
            rest >>= 7
        }
        return bytes
    }
}
#endif
