import Foundation
import ModelFormat
